import { expect, test } from 'vitest';
import { ofKind, operations } from '../../infra/registry.ts';
import { systemRuntime } from '../../shared/kernel/runtime.ts';
import { serveSocket } from '../../shared/kernel/serve-socket.ts';

test('Whoever sends an unknown frame is told every action that there is', async () => {
  const sockets = ofKind(await operations(), 'socket');
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
