import { once } from 'node:events';
import { expect, test } from 'vitest';
import { connectionRange, userConnectionRange } from '../../functions/live/model/connection.ts';
import { deliveries } from '../../functions/live/model/deliveries.ts';
import { dispatch } from '../../functions/live/model/dispatch.ts';
import { noDeadline } from '../../shared/kernel/deadline.ts';
import { minute, after as plus, timestamp } from '../../shared/kernel/time.ts';
import type { Sockets } from '../../shared/live/sockets.ts';
import { provideSockets } from '../../shared/ports/sockets.ts';
import { identityOf } from '../auth/records.ts';
import { setUpFaultyTable } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { setUpLiveProduct } from './fixtures.ts';
import { workflowToggled } from './live-product.ts';
import { type ManagementApi, startManagementApi } from './management-api.ts';

const live = await setUpLiveProduct();
const table = setUpFaultyTable();

/** Late enough that a handshake has certainly ended. */
const soon = () => plus(new Date(), minute);

const happened = ({ organizationId }: Person, count: number): Promise<string[]> =>
  live.happenTogether(organizationId, workflowToggled, count);

async function connected(admin: Person, count: number): Promise<string[]> {
  const connections = Array.from({ length: count }, () => live.connect(admin.socketToken));
  return (await Promise.all(connections)).map(({ id }) => id);
}

/** The connections that get events. */
async function served({ organizationId, userId }: Person): Promise<string[]> {
  const organization = live.product.tableOf(organizationId).table;
  return (await organization.list(userConnectionRange(userId))).map(({ data }) => data.connectionId);
}

/** Those, and the ones that are to be closed. */
async function remembered({ organizationId }: Person): Promise<string[]> {
  const organization = live.product.tableOf(organizationId).table;
  return (await organization.list(connectionRange())).map(({ data }) => data.connectionId);
}

/** The real client of a management API. It waits for one connection so long that a test does not get slow, for others unhurried. */
function clientOf({ url }: ManagementApi, impatientWith: string): () => Sockets {
  const environment = { ...process.env, SOCKET_ENDPOINT: url };
  const soon = { connectionTimeout: 60_000, requestTimeout: 100, throwOnRequestTimeout: true } as const;
  const [patient, impatient] = [
    provideSockets(environment, { maxAttempts: 2 })({ deadline: noDeadline }),
    provideSockets(environment, { maxAttempts: 2, requestHandler: soon })({ deadline: noDeadline }),
  ];
  const of = (id: string) => (id === impatientWith ? impatient : patient);
  return () => ({
    send: (id, ...more) => of(id).send(id, ...more),
    close: (id, ...more) => of(id).close(id, ...more),
  });
}

test.each([403, 429, 500, 'nothing'] as const)(
  'A connection for which the gateway returns %s costs the others no second copy of 100 events, and is forgotten',
  async (trouble) => {
    const admin = await live.product.newOrganization();
    const [bad = '', ...good] = await connected(admin, 10);
    const events = await happened(admin, 100);
    await using gateway = await startManagementApi();
    gateway.trouble(bad, trouble);
    const sockets = clientOf(gateway, bad);

    const { invocations, givenUp } = await live.deliverWithRetries(events, soon(), sockets);
    expect(givenUp).toBe(0);
    expect(invocations).toBeLessThanOrEqual(2);
    expect(gateway.posts).toBeLessThanOrEqual(1.1 * good.length * events.length);
    expect(good.map((id) => gateway.posted(id))).toEqual(good.map(() => events));
    expect((await served(admin)).sort()).toEqual(good.sort());
    expect(gateway.closings(bad) > 0 || trouble === 403).toBe(true);

    const tries = gateway.posted(bad).length;
    await live.deliverWithRetries(await happened(admin, 1), soon(), sockets);
    expect(gateway.posted(bad)).toHaveLength(tries);
  },
);

test('An event whose response is lost comes once more with the same id, before any later one, and the connection goes on', async () => {
  const admin = await live.product.newOrganization();
  const [one = '', other = ''] = await connected(admin, 2);
  const [first = '', ...later] = await happened(admin, 3);
  await using gateway = await startManagementApi();
  gateway.loseResponses(one, 1);
  const { invocations } = await live.deliverWithRetries([first, ...later], soon(), clientOf(gateway, other));
  expect(invocations).toBe(1);
  expect(gateway.posted(one)).toEqual([first, first, ...later]);
  expect(gateway.posted(other)).toEqual([first, ...later]);
  expect((await served(admin)).sort()).toEqual([one, other].sort());
});

test('A connection that cannot be reached is closed and forgotten, and nothing overtakes the event that it did not get', async () => {
  const admin = await live.product.newOrganization();
  const [broken = '', sound = ''] = await connected(admin, 2);
  const events = await happened(admin, 2);
  live.sockets.behave(broken, 'fails');
  await live.deliver(events, soon());
  expect(live.sockets.received(sound).map(({ id }) => id)).toEqual(events);
  expect(live.sockets.attempts(broken)).toBe(1);
  expect(live.sockets.closed).toContain(broken);
  expect(await remembered(admin)).toEqual([sound]);
  expect(await live.send(broken, { action: 'resume', since: events[0] })).toMatchObject({ event: 'error' });
});

test('A connection that can be neither reached nor closed is forgotten all the same, and closed as soon as it can be', async () => {
  const admin = await live.product.newOrganization();
  const [broken = '', sound = ''] = await connected(admin, 2);
  const deliverOne = async () => live.deliver(await happened(admin, 1), soon());
  live.sockets.behave(broken, 'fails');
  live.sockets.behaveWhenClosed(broken, 'fails');
  await deliverOne();
  live.sockets.behave(broken, 'delivered');
  await deliverOne();
  expect(live.sockets.attempts(broken)).toBe(1);
  expect(live.sockets.received(sound)).toHaveLength(2);
  expect(await served(admin)).toEqual([sound]);

  live.sockets.behaveWhenClosed(broken, 'closed');
  await deliverOne();
  expect(live.sockets.closed).toContain(broken);
  expect(await remembered(admin)).toEqual([sound]);
});

test('A connection that fails while it is still opening is not taken for gone', async () => {
  const admin = await live.product.newOrganization();
  const [opening = ''] = await connected(admin, 1);
  live.sockets.behave(opening, 'fails');
  live.sockets.behaveWhenClosed(opening, 'gone');
  await live.deliver(await happened(admin, 1));
  expect(await served(admin)).toEqual([opening]);
});

test('When the table cannot be read for one organization, nobody is sent anything twice', async () => {
  const people = await Promise.all([live.product.newOrganization(), live.product.newOrganization()]);
  const connections = [...(await connected(people[0], 1)), ...(await connected(people[1], 1))];
  const events = [...(await happened(people[0], 1)), ...(await happened(people[1], 1))];
  table.next('QueryCommand', async () => {
    throw new Error('The table cannot be read');
  });
  expect(await live.deliverWithRetries(events, soon())).toEqual({ invocations: 3, givenUp: 0 });
  expect(connections.map((id) => live.sockets.received(id).map((frame) => frame.id))).toEqual(
    events.map((id) => [id]),
  );
});

test('A connection that has not got its events by the deadline is forgotten, to be closed later', async () => {
  const admin = await live.product.newOrganization();
  const [slow = '', quick = ''] = await connected(admin, 2);
  const { table: organization } = live.product.tableOf(admin.organizationId);
  const tables = { organization, identity: identityOf(live.product) };
  const deliveries = (await organization.list(userConnectionRange(admin.userId))).map(({ data }) => ({
    connection: data,
    frames: ['first', 'second'],
  }));
  const deadline = new AbortController();
  const sent: string[] = [];
  const sockets: Sockets = {
    async send(connectionId, frame) {
      sent.push(`${connectionId} ${frame}`);
      if (connectionId === quick) {
        return 'delivered';
      }
      const aborted = once(deadline.signal, 'abort');
      deadline.abort();
      await aborted;
      throw deadline.signal.reason;
    },
    async close(_, signal) {
      signal?.throwIfAborted();
      return 'closed';
    },
  };
  expect(
    await dispatch([{ tables, deliveries, expired: [], unclosed: [] }], sockets, soon(), {
      beginUntil: new AbortController().signal,
      deadline: deadline.signal,
      canBeHalved: true,
    }),
  ).toEqual({ ended: 1, unforgotten: 0 });
  expect(sent).not.toContain(`${slow} second`);
  expect(await served(admin)).toEqual([quick]);
  expect((await remembered(admin)).sort()).toEqual([slow, quick].sort());
});

/** A dispatch to so many sound connections of each organization, in which the time to begin ends with the given post. */
async function dispatchUntil(posts: number, counts: Record<string, number>, canBeHalved: boolean) {
  const beginning = new AbortController();
  const received = new Map<string, string[]>();
  const closed: string[] = [];
  const sockets: Sockets = {
    async send(connectionId, frame) {
      received.set(connectionId, [...(received.get(connectionId) ?? []), frame]);
      if (received.size === posts) {
        beginning.abort();
      }
      return 'delivered';
    },
    async close(connectionId) {
      closed.push(connectionId);
      return 'closed';
    },
  };
  const at = timestamp(new Date());
  const due = Object.entries(counts).map(([organizationId, count]) => ({
    tables: { organization: live.product.tableOf(organizationId).table, identity: identityOf(live.product) },
    deliveries: Array.from({ length: count }, (_, index) => ({
      connection: {
        connectionId: `${organizationId} ${index}`,
        organizationId,
        userId: 'user-1',
        connectedAt: at,
        expiresAt: at,
      },
      frames: ['first', 'second'],
    })),
    expired: [],
    unclosed: [],
  }));
  const { signal: deadline } = new AbortController();
  const result = dispatch(due, sockets, soon(), { beginUntil: beginning.signal, deadline, canBeHalved });
  return { outcome: await result.catch(String), received, closed };
}

test('When the time ends in the burst of a large organization, a small one has got its events, and nobody is closed', async () => {
  const { outcome, received, closed } = await dispatchUntil(50, { large: 200, small: 3 }, true);
  expect([...received.values()]).toEqual(Array(50).fill(['first', 'second']));
  expect([...received.keys()].filter((id) => id.startsWith('small'))).toHaveLength(3);
  expect(closed).toEqual([]);
  expect(outcome).toBe('Error: There was no time for 153 connections; the events are tried again in halves');
});

test('When the time does not even do for one event, the connections that have not got it are closed, to resume', async () => {
  const { outcome, received, closed } = await dispatchUntil(50, { large: 60 }, false);
  expect(received.size).toBe(50);
  expect(closed).toHaveLength(10);
  expect(closed.filter((id) => received.has(id))).toEqual([]);
  expect(outcome).toEqual({ ended: 10, unforgotten: 0 });
});

test('However many connections have expired, the events of others wait only until some of them are closed', async () => {
  const at = timestamp(new Date());
  const table = { commit: async () => undefined, delete: () => ({ request: {} }) };
  const expired = (organizationId: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      connectionId: `${organizationId} ${index}`,
      ...{ organizationId, userId: 'user-1', connectedAt: at, expiresAt: at },
    }));
  const closed: string[] = [];
  const sockets: Sockets = {
    send: async () => 'delivered',
    async close(connectionId) {
      closed.push(connectionId);
      return 'closed';
    },
  };
  const due = Object.entries({ flooded: 10_000, usual: 3 }).map(([organizationId, count]) => ({
    tables: { organization: table, identity: table } as never,
    ...{ deliveries: [], unclosed: [], expired: expired(organizationId, count) },
  }));
  const never = new AbortController().signal;
  await dispatch(due, sockets, soon(), { beginUntil: never, deadline: never, canBeHalved: true });
  expect(closed).toHaveLength(2_000);
  expect(closed.filter((id) => id.startsWith('usual'))).toHaveLength(3);
});

test('Of connections to be closed, those of a session that has ended come first: no later event tells of it', () => {
  const at = timestamp(new Date());
  const connection = (connectionId: string, more: object) => ({
    ...{ connectionId, organizationId: 'acme', userId: 'user-1', connectedAt: at, expiresAt: at },
    ...more,
  });
  const data = { userId: 'user-1', sessionId: 'ended' };
  const events = [
    { id: 'event-1', event: 'sessions_ended', at, data, audience: { kind: 'users', userIds: [] } },
  ];
  const connections = [connection('expired', {}), connection('logged out', { sessionId: 'ended' })];
  const { expired } = deliveries(events as never, { connections, users: [], precededBy: new Map() }, soon());
  expect(expired.map(({ connectionId }) => connectionId)).toEqual(['logged out', 'expired']);
});
