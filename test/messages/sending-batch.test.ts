import { expect, onTestFinished, test } from 'vitest';
import { acquireLease, lease } from '../../functions/messages/model/lease.ts';
import { sendBatch, type Turn } from '../../functions/messages/model/sending-batch.ts';
import { invocationLimits } from '../../shared/kernel/invocation-limits.ts';
import { minute, after as plus, second, timestamp } from '../../shared/kernel/time.ts';
import { queuedMessageKey } from '../../shared/messages/queued-message.ts';
import { faultyTable } from '../contacts/faulty-table.ts';
import { newConversation } from '../conversations/client.ts';
import { setUpWorld } from '../harness/fixtures.ts';

const world = await setUpWorld();
const { product, rep } = world;

test('A run that the platform ends after 30 seconds leaves each message the time that is left of the run, less what it takes to send it', async () => {
  const turns: Turn[] = [];
  const waiting = {
    contact: 'ada',
    send: async (turn: Turn) => void turns.push(turn),
    delay: async () => expect.unreachable(),
  };
  expect(await sendBatch([waiting, waiting, waiting])).toEqual({ delayed: 0, reason: undefined });
  expect(turns).toHaveLength(3);
  for (const { late, left } of turns) {
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late + left).toBeCloseTo(invocationLimits.stream - lease);
  }
});

test('A run that the platform ends after 30 seconds waits no longer than that for a message that another run has', async () => {
  const { contactId, messageId } = await newConversation(world);
  const { table, moment } = product.tableOf(rep.organizationId);
  const key = queuedMessageKey(contactId, messageId);
  const claimedUntil = timestamp(plus(moment.now, minute));
  await table.update(key, { update: 'SET claimedUntil = :until', values: { until: claimedUntil } });

  const tried = faultyTable();
  onTestFinished(tried.restore);
  // It looks every half second: now, and once more.
  const timeout = 0.7 * second;
  await expect(acquireLease(table, key, moment.now, timeout)).rejects.toThrow('Another run is sending');
  expect(tried.tries('UpdateItemCommand').length).toBeLessThanOrEqual(2);
  expect((await table.read(key))?.attributes).toMatchObject({ claimedUntil });
});

test('A run that the platform ends after 30 seconds takes a message whose claim has run out while it waited', async () => {
  const { contactId, messageId } = await newConversation(world);
  const { table, moment } = product.tableOf(rep.organizationId);
  const key = queuedMessageKey(contactId, messageId);
  const claimedUntil = timestamp(plus(moment.now, 0.3 * second));
  await table.update(key, { update: 'SET claimedUntil = :until', values: { until: claimedUntil } });
  expect(await acquireLease(table, key, moment.now, 5 * second)).toBeDefined();
});
