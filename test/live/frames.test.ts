import { expect, test } from 'vitest';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveSocket } from '../../shared/kernel/serve/serve-socket.ts';
import { readFrame } from './frame.ts';

test('Whoever sends an unknown frame is told every action that there is', async () => {
  const sockets = ofKind(await loadOperations(), 'socket');
  const actions = sockets.map(({ operation }) => operation.on).filter((on) => !on.startsWith('$'));
  const unknown = sockets.find(({ operation }) => operation.on === '$default');
  if (unknown === undefined) {
    throw new Error('There is no $default route');
  }
  const { body = '' } = await serveSocket(
    unknown.name,
    unknown.operation,
    {},
    { ...systemRuntime, log: () => undefined },
  )({ requestContext: { connectionId: 'c', requestId: 'r', routeKey: '$default' }, body: 'no JSON' });
  const { event, data } = JSON.parse(body);
  expect(event).toBe('error');
  expect([...data.message.matchAll(/(?<=")[a-z]+(?=")/g)].map(String).sort()).toEqual(actions.sort());
});

const at = '2026-03-04T12:00:00.000Z';
const frame = (event: string, data: unknown, more: object = { actor: { type: 'system' } }) =>
  JSON.stringify({ id: '1', event, at, ...more, data });

test('A frame that is held against the published description is read when it is as published', () => {
  expect(readFrame(frame('pong', {}))).toMatchObject({ event: 'pong', at });
  expect(readFrame(frame('contact_removed', { contactId: 'c' })).data).toEqual({ contactId: 'c' });
  expect(readFrame('{"message": "Forbidden", "connectionId": "c", "requestId": "r"}')).toBeTruthy();
});

test.each([
  ['an event that nobody described', frame('contact_vanished', { contactId: 'c' })],
  ['an event without what it must carry', frame('contact_removed', {})],
  ['an event that nobody did', frame('contact_removed', { contactId: 'c' }, {})],
  ['an event that carries something of another kind', frame('contact_removed', { contactId: 1 })],
  ['a time in another form', frame('pong', {}).replace('.000Z', '')],
  ['no id', '{"event": "pong", "at": "2026-03-04T12:00:00.000Z", "data": {}}'],
])('A frame that is held against the published description is refused when it is %s', (_, text) => {
  expect(() => readFrame(text)).toThrow('other than published');
});
