// Whether the work of one organization delays another: a burst of new contacts, each of which starts a workflow, and a crowd of connections,
// its live events.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import { socketUrl } from '../../infra/local/environment.ts';
import { call, type Session } from './api.ts';
import { budgets, conclude, type Verdict } from './budgets.ts';
import { measureCrowd } from './crowd.ts';
import { quantile, timed } from './figures.ts';
import { HttpClient } from './http-client.ts';
import { evenly } from './http-load.ts';
import { startHost } from './local-host.ts';
import { numberFrom, wholeNumberFrom } from './options.ts';
import { figure, textTable } from './table.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: ['crowd', 'burst'] },
    contacts: { type: 'string', default: '10000' },
    connections: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '60' },
    sockets: { type: 'string', default: '5' },
    rate: { type: 'string', default: '300' },
  },
});
const contacts = wholeNumberFrom(1, '--contacts', values.contacts);
const connections = wholeNumberFrom(1, '--connections', values.connections);
const quietSeconds = numberFrom(1, '--seconds', values.seconds);
/** Starts a minute, after the burst that a workflow may start at once. */
const rate = numberFrom(1, '--rate', values.rate);
const unknown = values.only.find((part) => !['crowd', 'burst'].includes(part));
if (unknown !== undefined) {
  throw new Error(`--only takes crowd or burst; it was "${unknown}".`);
}
const socketCount = wholeNumberFrom(1, '--sockets', values.sockets);
/** Changes in the other organization. */
const perSecond = 5;

/** A workflow that adds a tag and a note. */
const workflow = {
  name: 'New contact',
  enabled: true,
  settings: { rate: { value: rate, unit: 'minute' } },
  nodes: [
    { id: 'new', type: 'trigger', data: { event: 'contact.created' }, position: { x: 0, y: 0 } },
    { id: 'tag', type: 'addTags', data: { tags: ['new'] }, position: { x: 0, y: 100 } },
    { id: 'note', type: 'addNote', data: { note: 'Call {{firstName}}' }, position: { x: 0, y: 200 } },
  ],
  edges: [
    { id: 'first', source: 'new', target: 'tag' },
    { id: 'second', source: 'tag', target: 'note' },
  ],
};

const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-burst-'));
const host = await startHost(dataDir, { environment: { SEED: 'none' } });
const { url } = host;
try {
  const [importing, other] = await Promise.all([registered(), registered()]);
  const verdicts: Verdict[] = [];
  if (values.only.includes('crowd')) {
    const listener = await listening(other);
    const crowd = [importing, await registered()] as const;
    verdicts.push(...(await measureCrowd(url, host.pid, crowd, listener)));
    listener.close();
  }
  if (values.only.includes('burst')) {
    verdicts.push(await measureBurst(importing, other));
  }
  conclude(verdicts);
} finally {
  await host.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function measureBurst(importing: Session, other: Session): Promise<Verdict> {
  const listener = await listening(other);
  const quiet = await listener.during(pause(quietSeconds * 1_000));
  const bare = await timed(() => listener.during(createContacts(importing.token)));
  await call(url, { method: 'POST', path: '/api/workflows', body: workflow }, importing.token);
  const burst = await timed(() => listener.during(createContacts(importing.token)));
  const rest = await timed(() => listener.during(allFinished(importing.token)));
  listener.close();

  console.log(`${figure(contacts)} new contacts over ${connections} connections, beside ${perSecond} changes a second of another organization with ${socketCount} sockets.
Runs start at ${figure(rate)} a minute. Milliseconds from the answer to a change until each socket has its event\n`);
  const row = (name: string, delays: readonly number[], ms: number) => [
    ...[name, figure(ms / 1_000, 1), figure(delays.length)],
    ...[0.5, 0.99, 1].map((share) => figure(quantile(delays, share))),
  ];
  const withRuns = [...burst.result, ...rest.result];
  console.log(
    textTable(
      ['', 'seconds', 'events', 'p50', 'p99', 'worst'],
      [
        row('quiet', quiet, quietSeconds * 1_000),
        row('burst, no workflow', bare.result, bare.ms),
        row('burst that starts runs', burst.result, burst.ms),
        row('until all runs have finished', rest.result, rest.ms),
      ],
    ),
  );
  const [before, during] = [quiet, withRuns].map((delays) => quantile(delays, 0.99)) as [number, number];
  return {
    promise: `p99 of live events at most ${budgets.burst.delayRatio} times that of a quiet stream`,
    measured: `${figure(during / before, 2)} times`,
    kept: during <= budgets.burst.delayRatio * before,
  };
}

async function registered(): Promise<Session> {
  const body = {
    ...{ email: `${randomUUID()}@example.com`, password: 'correct horse battery' },
    ...{ firstName: 'Ada', lastName: 'Lovelace', role: 'ADMIN' },
  };
  return call<Session>(url, { method: 'POST', path: '/api/auth/register', body });
}

/** As fast as the connections allow. */
async function createContacts(token: string): Promise<void> {
  let left = contacts;
  const path = '/api/contacts/create';
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new HttpClient(url);
      while (left > 0) {
        left -= 1;
        const { status } = await client.ask({ method: 'POST', path, token, body: { firstName: 'Ada' } });
        if (status !== 201) {
          throw new Error(`Creating a contact returned ${status}`);
        }
      }
      client.close();
    }),
  );
}

interface Statistics {
  readonly data: { readonly nodes: readonly { readonly nodeId: string; readonly passed: number }[] };
}

async function allFinished(token: string): Promise<void> {
  const { data } = await call<{ data: { _id: string }[] }>(
    url,
    { method: 'GET', path: '/api/workflows' },
    token,
  );
  const path = `/api/workflows/${data[0]?._id}/statistics`;
  for (let last = -1, since = performance.now(); ; ) {
    const { nodes } = (await call<Statistics>(url, { method: 'GET', path }, token)).data;
    const passed = nodes.find(({ nodeId }) => nodeId === 'note')?.passed ?? 0;
    if (passed >= contacts) {
      return;
    }
    if (passed > last) {
      [last, since] = [passed, performance.now()];
    }
    if (performance.now() - since > 300_000) {
      throw new Error(`After ${passed} of ${contacts} runs no more finished`);
    }
    await pause(1_000);
  }
}

interface Frame {
  readonly event: string;
  readonly data: { readonly firstName?: string };
}

/** Opens sockets of an organization, and changes one of its contacts at a steady rate. */
async function listening({ token, socketToken }: Session) {
  const sent = new Map<string, PromiseWithResolvers<number>[]>();
  const sockets = await Promise.all(
    Array.from({ length: socketCount }, async (_, index) => {
      const socket = new WebSocket(`${socketUrl(url)}?token=${encodeURIComponent(socketToken)}`);
      socket.on('message', (text) => {
        const { data } = JSON.parse(String(text)) as Frame;
        sent
          .get(JSON.stringify(data).match(/RoundRobinMove [\w-]+/)?.[0] ?? '')
          ?.[index]?.resolve(performance.now());
      });
      await once(socket, 'open');
      return socket;
    }),
  );
  const { data } = await call<{ data: { _id: string } }>(
    url,
    { method: 'POST', path: '/api/contacts/create', body: { firstName: 'Grace' } },
    token,
  );
  const path = `/api/contacts/${data._id}`;
  const measured = async (): Promise<readonly number[]> => {
    const firstName = `RoundRobinMove ${randomUUID()}`;
    const arrivals = sockets.map(() => Promise.withResolvers<number>());
    sent.set(firstName, arrivals);
    await call(url, { method: 'PUT', path, body: { firstName } }, token);
    const answered = performance.now();
    const times = await Promise.all(arrivals.map(({ promise }) => promise));
    sent.delete(firstName);
    return times.map((time) => Math.max(0, time - answered));
  };
  await measured(); // Starts the functions.
  return {
    /** The delays of events while this work is in progress. */
    async during(work: Promise<unknown>): Promise<readonly number[]> {
      const delays: number[] = [];
      let isOver = false;
      const over = work.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await evenly(perSecond, 1, async () => {
          delays.push(...(await measured()));
        });
      }
      await over;
      return delays;
    },
    close() {
      for (const socket of sockets) {
        socket.terminate();
      }
    },
  };
}
