import { expect, test } from 'vitest';
import { noDeadline } from '../../shared/kernel/deadline.ts';
import { after, day, minute, second } from '../../shared/kernel/time.ts';
import { rateLimitKey, rateLimits, readBudget } from '../../shared/ports/rate-limits.ts';
import { tableConnection } from '../../shared/ports/table.ts';
import { dynamodbWriter } from '../../shared/table/dynamodb-writes.ts';
import { identitySpace } from '../../shared/table/spaces.ts';
import { contactsClient } from '../contacts/client.ts';
import { replyLost, throttled } from '../contacts/faulty-table.ts';
import { unhurried } from '../harness/eventually.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { invocationScope } from '../harness/objects.ts';

const product = await setUpProduct();
const faults = setUpFaultyTable();
const start = new Date();
let users = 0;
const newUser = () => {
  users += 1;
  return `user-${users}`;
};

const connection = tableConnection({ TABLE_NAME: product.tableName }, unhurried);
const identity = dynamodbWriter(connection, identitySpace, {
  ...invocationScope(undefined),
  deadline: noDeadline,
});

/** A process, which knows what it was told itself. Resolves with the seconds to wait, or undefined when the work was done. */
function newProcess() {
  const known = new Map();
  return async (userId: string, units: number, at = start): Promise<number | undefined> => {
    try {
      await rateLimits(identity, () => units, at, known).limitReads(userId, async () => 'done');
      return undefined;
    } catch (error) {
      expect(error).toMatchObject({ status: 429, code: 'TOO_MANY_ATTEMPTS' });
      return (error as { retryAfter: number }).retryAfter;
    }
  };
}

test('A user spends a whole read budget at once, and has it back bit by bit', async () => {
  const [ask, userId] = [newProcess(), newUser()];
  for (let spent = 0; spent < readBudget.atOnce; spent += readBudget.atOnce / 10) {
    expect(await ask(userId, readBudget.atOnce / 10)).toBeUndefined();
  }
  expect(await ask(userId, 600)).toBeUndefined();
  expect(await ask(userId, 600)).toBe(10);
  expect(await ask(userId, 600, after(start, 9 * second))).toBe(1);
  expect(await ask(userId, 600, after(start, 10 * second))).toBeUndefined();
  expect(await ask(userId, 600, after(start, 10 * second))).toBe(10);
  expect(await ask(newUser(), 600)).toBeUndefined();
});

test('A process that has not heard of a user’s debt lets one request pass and charges it', async () => {
  const userId = newUser();
  await newProcess()(userId, readBudget.atOnce + 60);
  const other = newProcess();
  expect(await other(userId, 300)).toBeUndefined();
  expect(await other(userId, 300)).toBe(6);
});

test('A process that has not heard of a caller lets a thirtieth of the share pass before it refuses', async () => {
  const share = { atOnce: 60, eachSecond: 1 };
  const send = async (known: Parameters<typeof rateLimits>[3], times: number) => {
    let served = 0;
    for (let sent = 0; sent < times; sent += 1) {
      await rateLimits(identity, () => 0, start, known)
        .limitRequests('GET /api/things', share, { userId: undefined, sourceIp: '192.0.2.9' }, async () => {
          served += 1;
        })
        .catch(() => undefined);
    }
    return served;
  };
  expect(await send(new Map(), 100)).toBe(60 + 2);
  expect(await send(new Map(), 100)).toBe(2);
});

test('Nobody waits longer than ten minutes, whatever was spent at the same time', async () => {
  const [ask, userId] = [newProcess(), newUser()];
  await Promise.all(Array.from({ length: 10 }, () => ask(userId, readBudget.atOnce)));
  expect(await ask(userId, 1)).toBe((10 * minute) / second);
  expect(await ask(userId, 1, after(start, day))).toBeUndefined();
});

test('Cheap requests write nothing until they add up', async () => {
  const [ask, userId] = [newProcess(), newUser()];
  for (let n = 0; n < 9; n += 1) {
    await ask(userId, 10);
  }
  expect(await identity.read(rateLimitKey(userId))).toBeUndefined();
  await ask(userId, 10);
  const { spentUntil } = (await identity.read(rateLimitKey(userId)))?.attributes ?? {};
  expect(spentUntil).toBeCloseTo(start.getTime() + (100 / readBudget.eachSecond) * second);
});

test('The cost of everything else is charged, too', async () => {
  const userId = newUser();
  const account = rateLimits(identity, () => 0, start, new Map());
  await account.limitReads(userId, async () => account.chargeUnits(1_200));
  const { spentUntil } = (await identity.read(rateLimitKey(userId)))?.attributes ?? {};
  expect(spentUntil).toBe(start.getTime() + 20 * second);
});

test('Work that fails is charged too', async () => {
  const userId = newUser();
  const account = rateLimits(identity, () => 600, start, new Map());
  await expect(account.limitReads(userId, () => Promise.reject(new Error('failed')))).rejects.toThrow(
    'failed',
  );
  expect(await identity.read(rateLimitKey(userId))).toBeDefined();
});

test('A price that cannot be written fails no request, and is charged with the next', async () => {
  const [ask, userId] = [newProcess(), newUser()];
  faults.always('UpdateItemCommand', throttled);
  expect(await ask(userId, 600)).toBeUndefined();
  faults.clear();
  faults.next('UpdateItemCommand', replyLost);
  expect(await ask(userId, 600)).toBeUndefined();
  const { spentUntil } = (await identity.read(rateLimitKey(userId)))?.attributes ?? {};
  expect(spentUntil).toBe(start.getTime() + 20 * second);
});

test('A board, with a search or without, is refused to a user who has nothing left, in the shape of its family, and to nobody else', async () => {
  const admin = await product.newOrganization();
  const colleague = await product.newColleague(admin);
  const contacts = contactsClient(product, admin);
  const own = rateLimits(identity, () => readBudget.atOnce + 600, start);
  await own.limitReads(admin.userId, async () => undefined);
  for (const query of [{ search: 'ada' }, {}]) {
    const { status, body, headers } = await contacts.list(query, start);
    expect(status).toBe(429);
    expect(body).toEqual({
      error: 'Too many attempts',
      message: 'You have read too much in a short time. Wait before the next request.',
    });
    expect(headers['retry-after']).toBe('10');
  }
  expect((await contactsClient(product, colleague).list({ search: 'ada' }, start)).status).toBe(200);
  expect((await contacts.list({ search: 'ada' }, after(start, 10 * second))).status).toBe(200);
});
