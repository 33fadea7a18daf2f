import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import type { SocketConnection } from '../../functions/live/model/connection.ts';
import { deliveries as deliveriesOf } from '../../functions/live/model/deliveries.ts';
import type { Recipients } from '../../functions/live/model/recipients.ts';
import type { Audience, StoredEvent } from '../../shared/events/outbox.ts';
import type { Role } from '../../shared/kernel/caller.ts';
import type { User } from '../../shared/organizations/user.ts';
import type { Frame } from './frame.ts';

const now = new Date('2026-03-04T12:00:00.000Z');

const users = [
  user('admin', 'ADMIN'),
  user('head', 'DEPARTMENT_HEAD', ['north']),
  user('rep', 'SALES_REP', ['north']),
  user('other', 'SALES_REP', ['south']),
];

test.each<[string, Audience, string[]]>([
  [
    'a record: owner, head of the department, administrator',
    { kind: 'record', people: ['rep'] },
    ['admin', 'head', 'rep'],
  ],
  ['a user: that user alone', { kind: 'user', userId: 'other' }, ['other']],
  ['several users: them alone', { kind: 'users', userIds: ['other', 'head', 'nobody'] }, ['head', 'other']],
  ['the organization: everybody in it', { kind: 'organization' }, ['admin', 'head', 'rep', 'other']],
])('An event for %s', (_, audience, expected) => {
  expect(receivers(about(audience))).toEqual(expected);
});

test('An event of a record tells those who saw the record before, and do not any more, that it is gone and nothing else', () => {
  const event = about({ kind: 'record', people: ['other'], formerly: ['rep'] });
  expect(received(event, 'other')).toEqual([
    { id: '1', event: 'contact_updated', at: event.at, actor: event.actor, data: event.data },
  ]);
  const removal = {
    id: '1',
    event: 'contact_removed',
    at: event.at,
    actor: event.actor,
    data: { contactId: 'c', pipelineId: 'p', stageId: 's' },
  };
  expect(received(event, 'rep')).toEqual([removal]);
  expect(received(event, 'head')).toEqual([removal]);
  expect(received(event, 'admin').map((frame) => frame.event)).toEqual(['contact_updated']);
});

test('An event of a job that sockets are not to get by itself goes to none of them', () => {
  const audience = { kind: 'organization' } as const;
  expect(receivers({ ...about(audience), isQuiet: true })).toEqual([]);
  expect(receivers(about(audience))).not.toEqual([]);
});

test('An event of a record tells those who still see it nothing of a removal', () => {
  const event = about({ kind: 'record', people: ['rep', 'other'], formerly: ['rep'] });
  expect(received(event, 'rep').map((frame) => frame.event)).toEqual(['contact_updated']);
});

test('A connection does not get what was over long before it was opened, however late the stream delivers it', () => {
  const event = (id: string, at: string) => ({ ...about({ kind: 'organization' }), id, at });
  const events = [
    event('long before', '2026-03-04T11:29:28.999Z'),
    event('maybe', '2026-03-04T11:29:29.000Z'),
  ];
  const recipients = { connections: [connection('rep')], users, precededBy: new Map() };
  const { deliveries } = delivered(events, recipients);
  expect(deliveries.flatMap(({ frames }) => frames.map((frame) => (JSON.parse(frame) as Frame).id))).toEqual([
    'maybe',
  ]);
});

test('A connection whose token has expired, or whose user is disabled or gone, receives nothing and is to be closed', () => {
  const connections = [
    connection('rep', { expiresAt: now.toISOString() }),
    connection('disabled'),
    connection('nobody'),
  ];
  const withDisabled = [...users, { ...user('disabled', 'ADMIN'), disabled: true }];
  const { deliveries, expired } = delivered([about({ kind: 'organization' })], {
    connections,
    users: withDisabled,
  });
  expect(deliveries).toEqual([]);
  expect(expired).toEqual(connections);
});

test('The oldest connections of a user who has more than 20 receive nothing and are to be closed, and nobody else’s', () => {
  const at = (second: number) => new Date(now.getTime() - 3_600_000 + second * 1_000).toISOString();
  const many = Array.from({ length: 23 }, (_, index) =>
    connection('rep', { connectionId: `rep ${index}`, connectedAt: at((index * 7) % 23) }),
  );
  const others = [connection('admin', { connectedAt: at(0) })];
  const { deliveries, expired } = delivered([about({ kind: 'organization' })], {
    connections: [...others, ...many],
  });
  expect(expired.map(({ connectedAt }) => connectedAt).sort()).toEqual([at(0), at(1), at(2)]);
  expect(deliveries).toHaveLength(21);
  expect(deliveries[0]?.connection).toBe(others[0]);
});

const begun = (at: string) => ulid(Date.parse(at));

test('A connection of a session that its user has ended is to be closed, and that of the kept or a later one is not', () => {
  const [before, kept, after] = [
    begun('2026-03-04T11:00:00Z'),
    begun('2026-03-04T10:00:00Z'),
    begun('2026-03-04T11:40:00Z'),
  ];
  const signedOut = {
    ...user('rep', 'SALES_REP'),
    sessionsNotBefore: '2026-03-04T11:35:00.000Z',
    keptSessionId: kept,
  };
  const connections = [before, kept, after].map((sessionId) =>
    connection('rep', { sessionId, connectionId: sessionId }),
  );
  const { deliveries, expired } = delivered([about({ kind: 'organization' })], {
    connections,
    users: [signedOut],
  });
  expect(expired.map(({ sessionId }) => sessionId)).toEqual([before]);
  expect(deliveries.map(({ connection: { sessionId } }) => sessionId)).toEqual([kept, after]);
});

test('Of an organization with more connections than it may have, every user keeps the newest before anybody keeps a second', () => {
  const at = (second: number) => new Date(now.getTime() - 3_600_000 + second * 1_000).toISOString();
  const own = (userId: string, name: string, second: number) =>
    connection(userId, { connectionId: name, connectedAt: at(second) });
  const connections = [
    ...[own('rep', 'rep 1', 10), own('rep', 'rep 2', 11), own('rep', 'rep 3', 12)],
    ...[own('head', 'head 1', 2), own('head', 'head 2', 3), own('admin', 'admin 1', 1)],
  ];
  const { deliveries } = delivered(
    [about({ kind: 'organization' })],
    { connections },
    { connectionLimit: 4 },
  );
  expect(deliveries.map(({ connection: { connectionId } }) => connectionId)).toEqual([
    'rep 2',
    'rep 3',
    'head 2',
    'admin 1',
  ]);
});

const frames = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...about({ kind: 'organization' }), id: String(index) }));

test('A connection that would get more than its share of 2,000 frames is told to load everything again instead', () => {
  const connections = Array.from({ length: 20 }, (_, index) =>
    connection('rep', { connectionId: `rep ${index}` }),
  );
  const counts = (happened: number) => {
    const { deliveries } = delivered(frames(happened), { connections });
    return new Set(deliveries.map(({ frames }) => frames.length));
  };
  expect(counts(100)).toEqual(new Set([100]));
  expect(counts(101)).toEqual(new Set([1]));
  expect(delivered(frames(101), { connections }).deliveries[0]?.frames).toEqual(['resync']);
});

test('However many connections an organization has, each gets the ten frames of a moment', () => {
  const connections = Array.from({ length: 1_000 }, (_, index) =>
    connection('rep', { connectionId: `rep ${index}`, userId: `user ${index}` }),
  );
  const many = connections.map(({ userId }) => user(userId, 'ADMIN'));
  const { deliveries } = delivered(frames(10), { connections, users: many });
  expect(new Set(deliveries.map(({ frames }) => frames.length))).toEqual(new Set([10]));
});

/** What these events mean for some recipients, if all must be delivered. */
function delivered(
  events: readonly StoredEvent[],
  recipients: Partial<Recipients>,
  { connectionLimit = 2_000 } = {},
) {
  return deliveriesOf(
    { events, connections: [], users, apiKeys: [], precededBy: new Map(), ...recipients },
    { what: 'events', resyncFrame: 'resync', connectionLimit },
    now,
  );
}

function about(audience: Audience): StoredEvent {
  return {
    id: '1',
    event: 'contact_updated',
    at: '2026-03-04T11:59:59.000Z',
    actor: { type: 'system' },
    data: { contactId: 'c', pipelineId: 'p', stageId: 's', contact: { firstName: 'Ada' } },
    audience,
  };
}

function received(event: StoredEvent, userId: string): Frame[] {
  const recipients = { connections: [connection(userId)], users, precededBy: new Map() };
  return delivered([event], recipients).deliveries.flatMap(({ frames }) =>
    frames.map((frame) => JSON.parse(frame) as Frame),
  );
}

function receivers(event: StoredEvent): string[] {
  return users.map(({ _id }) => _id).filter((userId) => received(event, userId).length > 0);
}

function connection(userId: string, more: Partial<SocketConnection> = {}): SocketConnection {
  return {
    connectionId: `connection-of-${userId}`,
    organizationId: 'o',
    userId,
    connectedAt: '2026-03-04T11:30:00.000Z',
    expiresAt: '2026-03-04T12:30:00.000Z',
    ...more,
  };
}

function user(_id: string, accessRole: Role, departmentIds: string[] = []): User {
  return {
    _id,
    organizationId: 'o',
    email: `${_id}@example.com`,
    firstName: _id,
    lastName: '',
    accessRole,
    departmentIds,
    conversationOpenPreference: 'latest',
    disabled: false,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
}
