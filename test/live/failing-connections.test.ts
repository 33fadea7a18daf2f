import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  ForbiddenException,
  GoneException,
  LimitExceededException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, onTestFinished, test } from 'vitest';
import { connectionRange, userConnectionRange } from '../../functions/live/model/connection.ts';
import { deliveries } from '../../functions/live/model/deliveries.ts';
import { dispatch } from '../../functions/live/model/dispatch.ts';
import { startServer } from '../../infra/local/listening.ts';
import { noDeadline } from '../../shared/kernel/deadline.ts';
import type { Sockets } from '../../shared/kernel/providers/sockets.ts';
import { minute, after as plus, timestamp } from '../../shared/kernel/time.ts';
import { provideSockets } from '../../shared/ports/sockets.ts';
import type { Stored } from '../../shared/table/table.ts';
import { identityTable } from '../auth/records.ts';
import { setUpFaultyTable } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { setUpLiveProduct } from './fixtures.ts';
import { workflowToggled } from './live-product.ts';

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
  const rows: readonly Stored<object>[] = await organization.list(connectionRange());
  return rows.flatMap(({ data }) => ('connectionId' in data ? [String(data.connectionId)] : []));
}

const socketsAt = (endpoint: string) => () =>
  provideSockets({ ...process.env, SOCKET_ENDPOINT: endpoint }, { maxAttempts: 2 })({ deadline: noDeadline });

test.each([
  ['is gone', new GoneException({ message: 'Gone', $metadata: {} }), false],
  ['may not be used any more', new ForbiddenException({ message: 'Forbidden', $metadata: {} }), false],
  ['takes no more frames', new LimitExceededException({ message: 'Rate exceeded', $metadata: {} }), true],
  ['does not respond', Object.assign(new Error('No response'), { name: 'TimeoutError' }), true],
])(
  'A connection that %s costs the others no second copy of 100 events, and is forgotten',
  async (_, error, isClosed) => {
    const admin = await live.product.newOrganization();
    const [bad = '', ...good] = await connected(admin, 10);
    const events = await happened(admin, 100);
    const gateway = mockClient(ApiGatewayManagementApiClient);
    onTestFinished(() => gateway.restore());
    gateway.resolves({}).on(PostToConnectionCommand, { ConnectionId: bad }).rejects(error);
    const posted = (ConnectionId: string) =>
      gateway
        .commandCalls(PostToConnectionCommand, { ConnectionId })
        .map(({ args: [{ input }] }) => JSON.parse(String(input.Data)).id);
    const sockets = socketsAt('https://gateway.local');

    expect(await live.deliver(events, soon(), { through: sockets })).toBe(1);
    expect(good.map(posted)).toEqual(good.map(() => events));
    expect((await served(admin)).sort()).toEqual(good.sort());
    const closings = gateway.commandCalls(DeleteConnectionCommand, { ConnectionId: bad });
    expect(closings.length > 0).toBe(isClosed);

    const tries = posted(bad).length;
    await live.deliver(await happened(admin, 1), soon(), { through: sockets });
    expect(posted(bad)).toHaveLength(tries);
  },
);

test('An event whose response is lost comes once more with the same id, before any later one, and the connection goes on', async () => {
  const admin = await live.product.newOrganization();
  const connections = await connected(admin, 1);
  const [first = '', ...later] = await happened(admin, 3);
  const posted: string[] = [];
  const gateway = createServer(async (request, response) => {
    posted.push(JSON.parse(await text(request)).id);
    if (posted.length === 1) {
      request.socket.destroy();
    } else {
      response.end();
    }
  });
  const { endpoint, stop } = await startServer(gateway, 0);
  onTestFinished(stop);
  expect(await live.deliver([first, ...later], soon(), { through: socketsAt(endpoint) })).toBe(1);
  expect(posted).toEqual([first, first, ...later]);
  expect(await served(admin)).toEqual(connections);
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

test('When the table cannot be read for one organization, nobody is sent anything twice', async () => {
  const people = await Promise.all([live.product.newOrganization(), live.product.newOrganization()]);
  const connections = [...(await connected(people[0], 1)), ...(await connected(people[1], 1))];
  const events = [...(await happened(people[0], 1)), ...(await happened(people[1], 1))];
  table.next('QueryCommand', async () => {
    throw new Error('The table cannot be read');
  });
  expect(await live.deliver(events, soon())).toBe(3);
  expect(connections.map((id) => live.sockets.received(id).map((frame) => frame.id))).toEqual(
    events.map((id) => [id]),
  );
});

test('A connection that has not got its events by the deadline is forgotten, to be closed later', async () => {
  const admin = await live.product.newOrganization();
  const [slow = '', quick = ''] = await connected(admin, 2);
  const { table: organization } = live.product.tableOf(admin.organizationId);
  const tables = { organization, identity: identityTable(live.product) };
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
  const due = { tables, deliveries, expired: [], unclosed: [] };
  expect(await dispatch(due, sockets, soon(), deadline.signal)).toEqual({ ended: 1, unforgotten: 0 });
  expect(sent).not.toContain(`${slow} second`);
  expect(await served(admin)).toEqual([quick]);
  expect((await remembered(admin)).sort()).toEqual([slow, quick].sort());
});

test('However many connections have expired, the next events wait only until some of them are closed', async () => {
  const at = timestamp(new Date());
  const table = { commit: async () => undefined, delete: () => ({ request: {} }) };
  const expired = Array.from({ length: 10_000 }, (_, index) => ({
    connectionId: String(index),
    ...{ organizationId: 'acme', userId: 'user-1', connectedAt: at, expiresAt: at },
  }));
  const closed: string[] = [];
  const sockets: Sockets = {
    send: async () => 'delivered',
    async close(connectionId) {
      closed.push(connectionId);
      return 'closed';
    },
  };
  const tables = { organization: table, identity: table } as never;
  const due = { tables, deliveries: [], unclosed: [], expired };
  await dispatch(due, sockets, soon(), new AbortController().signal);
  expect(closed).toHaveLength(2_000);
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
  const { expired } = deliveries(
    { events: events as never, connections, users: [], apiKeys: [], precededBy: new Map() },
    { what: 'events', resyncFrame: '', connectionLimit: 2_000 },
    soon(),
  );
  expect(expired.map(({ connectionId }) => connectionId)).toEqual(['logged out', 'expired']);
});
