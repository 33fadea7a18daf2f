import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { ofKind } from '../../infra/registry.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveSocket } from '../../shared/kernel/serve/serve-socket.ts';
import type { Call } from '../harness/call.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { allOperations } from '../harness/providers.ts';
import { recordingSockets } from '../live/recording-sockets.ts';
import { newcomer } from './records.ts';

/** Whatever anything writes into the log: on the console, and the line of each call. */
const printed: string[] = [];
for (const method of ['log', 'info', 'warn', 'error'] as const) {
  vi.spyOn(console, method).mockImplementation((...said: unknown[]) => void printed.push(said.join(' ')));
}

const faulty = setUpFaultyTable();
const product = await setUpProduct();

/** Calls an operation; its log line is kept. */
async function call(name: string, more: Call) {
  const response = await product.call(name, more);
  printed.push(JSON.stringify(response.consumed ?? {}));
  return response;
}

/** Sends a frame, or opens a connection, with a socket token. */
async function socketCall(on: '$connect' | 'authenticate', token: string) {
  const one = ofKind(allOperations, 'socket').find(({ operation }) => operation.on === on);
  if (one === undefined) {
    throw new Error(`There is no socket route ${on}`);
  }
  const sockets = recordingSockets();
  const runtime = { ...systemRuntime, log: (line: object) => void printed.push(JSON.stringify(line)) };
  const providers = { ...product.providers, sockets: () => sockets };
  const requestContext = { connectionId: 'connection-1', requestId: randomUUID(), routeKey: on };
  return serveSocket(
    one.name,
    one.operation,
    providers,
    runtime,
  )({
    requestContext,
    ...(on === '$connect'
      ? { queryStringParameters: { token } }
      : { body: JSON.stringify({ action: on, token }) }),
  });
}

/** A password that is found wherever it is printed. */
const newSecret = () => `secret ${randomUUID()}`;
const secrets = {
  password: newSecret(),
  wrong: newSecret(),
  next: newSecret(),
  refused: newSecret(),
  key: randomUUID(),
  garbage: randomUUID(),
};

/** The part of a token that nobody could guess. */
const secretOf = (token: string) => token.split('.').at(-1) ?? token;

test('Passwords, tokens and idempotency keys are in no line of the log, whatever becomes of the requests that have them', async () => {
  const { password, wrong, next, refused, key, garbage } = secrets;
  const tokens: string[] = [];
  /** Remembers the tokens of a response. */
  const keep = ({ body }: { body: { token: string; refreshToken: string; socketToken: string } }) => {
    tokens.push(body.token, body.refreshToken, body.socketToken);
    return body;
  };
  const person = newcomer({ password });
  const { email } = person;
  const statuses: [number, number][] = [];
  const expecting = async (status: number, response: ReturnType<typeof call>) => {
    statuses.push([status, (await response).status]);
    return response;
  };

  const registered = keep(await expecting(201, call('register', { body: person })));
  await expecting(409, call('register', { body: { ...person, password: refused } }));
  await expecting(400, call('register', { body: { ...person, password: refused, firstName: 5 } }));
  const { token, refreshToken, socketToken } = keep(
    await expecting(200, call('login', { body: { email, password } })),
  );
  await expecting(401, call('login', { body: { email, password: wrong } }));
  await expecting(401, call('login', { body: { email: garbage, password: wrong } }));
  await expecting(400, call('login', { body: `{"email": "${email}", "password": "${wrong}"` }));
  await expecting(400, call('login', { body: { email, password: [wrong] } }));

  const headers = { 'idempotency-key': key };
  const renewed = keep(await expecting(200, call('refresh', { body: { refreshToken }, headers })));
  await expecting(200, call('refresh', { body: { refreshToken }, headers }));
  await expecting(401, call('refresh', { body: { refreshToken } }));
  await expecting(401, call('refresh', { body: { refreshToken: garbage } }));
  await expecting(400, call('refresh', { body: { refreshToken: [refreshToken] }, headers }));
  await expecting(200, call('verify-token', { token }));
  await expecting(401, call('verify-token', { token: `${token}x` }));
  await expecting(401, call('list-sessions', { token: `${garbage}.${garbage}.${garbage}` }));

  expect(await socketCall('$connect', socketToken)).toMatchObject({ statusCode: 200 });
  expect(await socketCall('$connect', token)).toMatchObject({ statusCode: 401 });
  await socketCall('authenticate', renewed.socketToken);
  await socketCall('authenticate', garbage);

  const change = (currentPassword: string, newPassword: string) =>
    call('change-password', { token: renewed.token, body: { currentPassword, newPassword } });
  await expecting(400, change(wrong, next));
  await expecting(400, change(password, refused.slice(0, 7)));
  await expecting(200, change(password, next));

  // What nobody expects, at the moment at which it has most to tell.
  for (const fails of ['TransactWriteItemsCommand', 'UpdateItemCommand'] as const) {
    faulty.always(fails, async (_, input) => {
      throw new Error(`It failed for ${Object.keys(input ?? {})}`);
    });
  }
  await expecting(500, call('login', { body: { email, password: next } }));
  await expecting(500, change(next, password));
  await expecting(500, call('refresh', { body: { refreshToken: renewed.refreshToken }, headers }));
  await expecting(500, call('register', { body: newcomer({ password }) }));
  faulty.clear();
  await expecting(200, call('logout', { body: { refreshToken: registered.refreshToken } }));

  expect(statuses.map(([, status]) => status)).toEqual(statuses.map(([status]) => status));
  const log = printed.join('\n');
  for (const name of ['register', 'login', 'refresh', 'change-password', 'logout', 'verify-token']) {
    expect(log).toContain(`"operation":"${name}"`);
  }
  expect(log).toContain('It failed for');
  for (const secret of [...Object.values(secrets), ...tokens.map(secretOf)]) {
    expect(printed.filter((line) => line.includes(secret))).toEqual([]);
  }
});
