import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { call } from '../api.ts';
import type { Verdict } from '../budgets.ts';
import { timed } from '../figures.ts';
import { HttpClient } from '../http-client.ts';
import { startHost } from '../local-host.ts';
import { figure, textTable } from '../table.ts';
import { Receiver, startReceivers } from './receivers.ts';
import { type JournalEvent, login, newContact, readJournal, register, registerEndpoint } from './service.ts';
import { waitForAll } from './waiting.ts';

const connections = 4;

/** Milliseconds in which a post that is not wanted would have come. */
const quiet = 5_000;

/** Events while the host is killed and started again, many times, and then a replay of some of them. */
export async function measureKills(directory: string, count: number, kills: number): Promise<Verdict[]> {
  const receivers = [
    new Receiver(`/${randomUUID()}`, 'good'),
    new Receiver(`/${randomUUID()}`, 'good'),
    new Receiver(`/${randomUUID()}`, 'fails at first'),
  ] as const;
  const server = await startReceivers(receivers);
  const start = () => startHost(join(directory, 'kills'), { environment: { SEED: 'none' } });
  let host = await start();
  try {
    let { token } = await register(host.url);
    const endpoints: string[] = [];
    for (const receiver of receivers) {
      endpoints.push(await registerEndpoint(host.url, token, receiver, server.url));
    }
    const since = new Date();
    let answered = 0;
    const writing = await timed(async () => {
      for (let part = 1; part <= kills + 1; part += 1) {
        const wanted = Math.floor((part * count) / (kills + 1));
        const client = new HttpClient(host.url);
        const writers = Array.from({ length: connections }, async () => {
          while (answered < wanted) {
            const { status, body } = await client.ask({ ...newContact, token });
            if (status !== 201) {
              throw new Error(`A new contact returned ${status}: ${body}`);
            }
            answered += 1;
          }
        });
        if (part <= kills) {
          // Requests of the other connections are under way.
          await Promise.race(writers);
          const cutOff = Promise.allSettled(writers);
          await host.kill();
          await cutOff;
          host = await start();
          ({ token } = await login(host.url));
        } else {
          await Promise.all(writers);
        }
        client.close();
      }
    });
    const events = await readJournal(host.url, token, since);
    const ids = events.map(({ id }) => id);
    const arriving = await timed(() => waitForAll(ids, receivers));
    const known = new Set(ids);
    const missing = receivers.map(({ times }) => ids.filter((id) => !times.has(id)).length);
    const strange = receivers.map(({ times }) => [...times.keys()].filter((id) => !known.has(id)).length);
    const unverified = receivers.reduce((sum, receiver) => sum + receiver.unverified, 0);
    console.log(
      `\n${figure(events.length)} events in ${figure(writing.ms / 1_000)} s with ${kills} kills; ${figure(arriving.ms / 1_000)} s later all have arrived\n`,
    );
    const rows = receivers.map(({ manner, count: posts }, index) => [
      ...[manner, figure(posts), figure(missing[index] ?? 0), figure(strange[index] ?? 0)],
    ]);
    console.log(textTable(['endpoint', 'posts', 'missing', 'unknown'], rows));
    const replayed = await replay(host.url, token, endpoints[0] ?? '', events, receivers);
    return [
      {
        promise: `Every endpoint got every one of ${figure(events.length)} events, and no other, under ${kills} kills`,
        measured: `${missing.join(', ')} missing; ${strange.join(', ')} unknown`,
        kept: events.length >= count && [...missing, ...strange].every((number) => number === 0),
      },
      {
        promise: 'standardwebhooks verifies each post',
        measured: `${unverified} refused`,
        kept: unverified === 0,
      },
      replayed,
    ];
  } finally {
    await host.stop();
    server.stop();
  }
}

/** Replays the middle third to the first receiver. */
async function replay(
  url: string,
  token: string,
  endpoint: string,
  events: readonly JournalEvent[],
  receivers: readonly Receiver[],
): Promise<Verdict> {
  const [first] = receivers as readonly [Receiver];
  const [from, to] = [1, 2].map((third) => events[Math.floor((third * events.length) / 3)]?.at ?? '') as [
    string,
    string,
  ];
  const wanted = events.filter(({ at }) => at >= from && at <= to).map(({ id }) => id);
  await pause(quiet);
  for (const { times } of receivers) {
    times.clear();
  }
  const path = `/api/webhook-endpoints/${endpoint}/replay`;
  const { data } = await call<{ data: { count: number } }>(
    url,
    { method: 'POST', path, body: { from, to } },
    token,
  );
  await waitForAll(wanted, [first]);
  await pause(quiet);
  const known = new Set(wanted);
  const missing = wanted.filter((id) => first.countFor(id) === 0).length;
  const others = [...first.times.keys()].filter((id) => !known.has(id)).length;
  // To the one that fails at first, second attempts of earlier posts may still be due.
  const elsewhere = receivers
    .filter((receiver) => receiver !== first && receiver.manner === 'good')
    .reduce((sum, { count }) => sum + count, 0);
  const again = first.count - first.times.size;
  return {
    promise: `A replay of a range posts each of its ${figure(wanted.length)} events once, and nothing else`,
    measured: `${figure(data.count)} promised; ${missing} missing, ${others} others, ${again} twice, ${elsewhere} to other endpoints`,
    kept: data.count === wanted.length && missing + others + again + elsewhere === 0,
  };
}
