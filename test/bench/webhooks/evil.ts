import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { budgets, type Verdict } from '../budgets.ts';
import { quantile } from '../figures.ts';
import { HttpClient } from '../http-client.ts';
import { evenly } from '../http-load.ts';
import { startHost } from '../local-host.ts';
import { memoryFor, processIds } from '../processes.ts';
import { figure, textTable } from '../table.ts';
import { type Manner, Receiver, startReceivers } from './receivers.ts';
import {
  type JournalEvent,
  type LoggedDelivery,
  newContact,
  readDeliveries,
  readJournal,
  register,
  registerEndpoint,
} from './service.ts';
import { waitForAll } from './waiting.ts';

/** What the log says of each attempt. */
const outcomes: Partial<Record<Manner, string>> = {
  good: '204',
  'always 500': '500',
  'never answers': 'timeout',
  resets: 'connection',
  redirects: '302',
  'byte by byte': '200',
  '10 GB': '200',
};

/** Posts to one endpoint at the same time. */
const most = 5;

/** One good endpoint beside six bad ones, while events happen at a steady rate. */
export async function measureEvil(directory: string, rate: number, seconds: number): Promise<Verdict[]> {
  const receivers = (Object.keys(outcomes) as Manner[]).map(
    (manner) => new Receiver(`/${randomUUID()}`, manner),
  );
  const server = await startReceivers(receivers);
  const host = await startHost(join(directory, 'evil'), { environment: { SEED: 'none' } });
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(memoryFor(processIds(host.pid))), 1_000);
  const client = new HttpClient(host.url);
  try {
    const { token } = await register(host.url);
    const endpoints: { receiver: Receiver; id: string }[] = [];
    for (const receiver of receivers) {
      endpoints.push({ receiver, id: await registerEndpoint(host.url, token, receiver, server.url) });
    }
    const since = new Date();
    await evenly(rate, seconds, async () => {
      const { status, body } = await client.ask({ ...newContact, token });
      if (status !== 201) {
        throw new Error(`A new contact returned ${status}: ${body}`);
      }
    });
    const events = await readJournal(host.url, token, since);
    const [good] = receivers as [Receiver];
    await waitForAll(
      events.map(({ id }) => id),
      [good],
    );
    const rows: string[][] = [];
    const wrong: string[] = [];
    for (const { receiver, id } of endpoints) {
      const before = new Map([...receiver.times].map(([event, { length }]) => [event, length]));
      const log = await readDeliveries(host.url, token, id);
      const faults = faultsIn(log, events, receiver, before);
      wrong.push(...faults.slice(0, 3).map((fault) => `${receiver.manner}: ${fault}`));
      const attempts = log.reduce((sum, { attempts: some }) => sum + some.length, 0);
      rows.push([receiver.manner, figure(receiver.count), figure(attempts), figure(faults.length)]);
    }
    const delays = events.map(({ id, at }) => Number(good.times.get(id)?.[0]) - Date.parse(at));
    const [p50, p95, worst] = [0.5, 0.95, 1].map((share) => quantile(delays, share)) as [
      number,
      number,
      number,
    ];
    console.log(
      `${figure(events.length)} events in ${seconds} s. Until the good endpoint has one: p50 ${figure(p50)} ms, p95 ${figure(p95)} ms, worst ${figure(worst)} ms\n`,
    );
    console.log(textTable(['endpoint', 'posts', 'attempts in the log', 'wrong entries'], rows));
    console.log(wrong.join('\n'));
    const known = new Set(events.map(({ id }) => id));
    const strange = receivers.flatMap(({ times }) => [...times.keys()].filter((id) => !known.has(id))).length;
    const missing = events.filter(({ id }) => good.countFor(id) === 0).length;
    const unverified = receivers.reduce((sum, receiver) => sum + receiver.unverified, 0);
    const peak = Math.max(...memory);
    return [
      {
        promise: `p95 from an event until the good endpoint has it at most ${figure(budgets.webhooks.milliseconds)} ms`,
        measured: `${figure(p95)} ms`,
        kept: p95 <= budgets.webhooks.milliseconds,
      },
      {
        promise: 'The good endpoint got each event, and no other',
        measured: `${missing} missing, ${strange} unknown`,
        kept: missing === 0 && strange === 0,
      },
      {
        promise: 'standardwebhooks verifies each post',
        measured: `${unverified} refused`,
        kept: unverified === 0,
      },
      { promise: 'No redirect is followed', measured: `${server.strays} were`, kept: server.strays === 0 },
      {
        promise: `Host and database take at most ${budgets.webhooks.memory} MB`,
        measured: `${figure(peak)} MB`,
        kept: peak <= budgets.webhooks.memory,
      },
      {
        promise: 'The log has each event and each post',
        measured: `${wrong.length === 0 ? 'no' : 'some'} wrong entries`,
        kept: wrong.length === 0,
      },
    ];
  } finally {
    clearInterval(sampling);
    client.close();
    await host.stop();
    server.stop();
  }
}

/** What the log of an endpoint says that is not so. Posts under way are in it later; `before` counts those that came before it was read. */
function faultsIn(
  log: readonly LoggedDelivery[],
  events: readonly JournalEvent[],
  receiver: Receiver,
  before: ReadonlyMap<string, number>,
): string[] {
  const entries = new Map(log.map((delivery) => [delivery.eventId, delivery]));
  const faults = events.filter(({ id }) => !entries.has(id)).map(({ id }) => `${id} is not in the log`);
  let underWay = 0;
  for (const { eventId, status, attempts } of log) {
    const outcome = outcomes[receiver.manner];
    const isSuccess = outcome?.startsWith('2');
    const wanted = isSuccess && attempts.length > 0 ? 'delivered' : 'pending';
    const came = receiver.countFor(eventId);
    if (attempts.some(({ status: code, error }) => String(error ?? code) !== outcome) || status !== wanted) {
      faults.push(`${eventId} is ${status} after ${JSON.stringify(attempts)}`);
    }
    if (attempts.length > came) {
      faults.push(`${eventId} has ${attempts.length} attempts, of which ${came} arrived`);
    }
    underWay += Math.max(0, (before.get(eventId) ?? 0) - attempts.length);
  }
  if (log.length > events.length || entries.size !== log.length) {
    faults.push(`it has ${log.length} entries for ${events.length} events`);
  }
  return underWay > most ? [...faults, `${underWay} posts are not in the log`] : faults;
}
