import { afterEach, expect, test } from 'vitest';
import type { CommandName, Fault } from '../contacts/faulty-table.ts';
import { replyLost } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';

const product = await setUpProduct();
const faults = setUpFaultyTable();
afterEach(() => faults.clear());

const writes: readonly CommandName[] = ['UpdateItemCommand', 'TransactWriteItemsCommand'];

test('A failed login counts once when its reply is lost and another one comes before the repetition', async () => {
  const { email } = await product.newOrganization();
  const start = new Date();
  const login = async (sent: string) =>
    (await product.call('login', { body: { email, password: sent }, at: start })).status;

  await login('wrong');
  // The second failure is stored, its reply is lost, and the third comes in between.
  const overtaken: Fault = async (next) => {
    await next();
    faults.clear();
    await login('wrong');
    return replyLost(async () => undefined);
  };
  let isFirst = true;
  for (const write of writes) {
    faults.always(write, async (next, input) => {
      const isAccount = JSON.stringify(input).includes('THROTTLE#ACCOUNT');
      if (!isAccount || !isFirst) {
        return next();
      }
      isFirst = false;
      return overtaken(next);
    });
  }
  expect(await login('wrong')).toBe(401);
  expect(isFirst).toBe(false);
  // Three failures so far; the fifth is the one that blocks.
  expect([await login('wrong'), await login('wrong'), await login('wrong')]).toEqual([401, 401, 429]);
});
