import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import type { ClientLimits } from '../../shared/ports/aws/client-limits.ts';
import { eventually, timeout } from '../harness/eventually.ts';
import { clients, json, localDynamodb, outcomeOf, type Reply } from './local-dynamodb.ts';

const get = (client: DynamoDBClient, options?: { abortSignal: AbortSignal }) =>
  client.send(new GetItemCommand({ TableName: 't', Key: { pk: { S: 'a' } } }), options as object);

const limits = (connectionTimeout: number, requestTimeout: number): ClientLimits => ({
  maxAttempts: 1,
  requestHandler: { connectionTimeout, requestTimeout, throwOnRequestTimeout: true },
});

const silent: Reply = () => undefined;
const found = json(200, { Item: { pk: { S: 'a' } } });
const never = timeout;

test('The client of the table gives up a request without a timely response, as often as it tries', async () => {
  for (const make of [clients.product, clients.sdk]) {
    await using server = await localDynamodb(silent);
    const client = make({ ...limits(never, 50), maxAttempts: 2 }, server.location);
    expect(await outcomeOf(get(client))).toMatchObject({
      name: 'TimeoutError',
      code: 'ETIMEDOUT',
      $metadata: { attempts: 2 },
    });
    client.destroy();
  }
});

test('The client of the table gives up a response that stops halfway', async () => {
  await using server = await localDynamodb((response) => response.writeHead(200).write('{"Item":'));
  const client = clients.product(limits(never, 200), server.location);
  expect(await outcomeOf(get(client))).toMatchObject({ name: 'TimeoutError', code: 'ETIMEDOUT' });
  client.destroy();
});

test('The client of the table loses one try at most to kept connections that have died, however many there are', async () => {
  const dead = new Set<unknown>();
  const held = Promise.withResolvers<void>();
  let answered = 0;
  // Three requests at once open three connections. None of these answers once more.
  const reply: Reply = async (response) => {
    if (dead.has(response.socket)) {
      return;
    }
    dead.add(response.socket);
    answered += 1;
    if (answered === 3) {
      held.resolve();
    }
    await held.promise;
    found(response, { headers: {}, body: '' });
  };
  await using server = await localDynamodb(reply);
  const client = clients.product({ ...limits(never, 100), maxAttempts: 3 }, server.location);
  await Promise.all([get(client), get(client), get(client)]);
  expect(dead.size).toBe(3);
  answered = 3;
  const { $metadata } = await get(client);
  expect($metadata.attempts).toBe(2);
  client.destroy();
});

test('The client of the table does not take the wait for one of its connections for one that does not open', async () => {
  await using server = await localDynamodb(silent);
  const client = clients.product(limits(400, 600), server.location);
  const all = Array.from({ length: 51 }, () => outcomeOf(get(client)));
  await Promise.race(all);
  // From now on connections are free for the one that waited.
  expect(server.received).toHaveLength(50);
  for (const outcome of await Promise.all(all)) {
    expect(outcome).toMatchObject({ message: 'No response from 127.0.0.1 within 600 ms' });
  }
  client.destroy();
});

test.each(['before', 'after'])(
  'The client of the table gives up at once when its caller does, %s it was sent',
  async (when) => {
    for (const make of [clients.product, clients.sdk]) {
      await using server = await localDynamodb(silent);
      const client = make({ maxAttempts: 3 }, server.location);
      const caller = new AbortController();
      if (when === 'before') {
        caller.abort();
      }
      const sent = outcomeOf(get(client, { abortSignal: caller.signal }));
      if (when === 'after') {
        await eventually(() => server.received.length > 0);
        caller.abort();
      }
      expect(await sent).toMatchObject({ name: 'AbortError', message: 'Request aborted' });
      expect(server.received).toHaveLength(when === 'after' ? 1 : 0);
      client.destroy();
    }
  },
);
