import { expect, onTestFinished, test } from 'vitest';
import { leaseDuration, leftToLease } from '../../functions/messages/model/lease-time.ts';
import { invocationLimits } from '../../shared/kernel/serve/invocation-limits.ts';
import { minute, after as plus, second, timestamp } from '../../shared/kernel/time.ts';
import { queuedMessageKey } from '../../shared/messages/queued-message.ts';
import { acquireLease } from '../../shared/table/lease.ts';
import { faultyTable } from '../contacts/faulty-table.ts';
import { newConversation } from '../conversations/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';

const tenants = await setUpTenants();
const { product, rep } = tenants;

/** A queued message that a run has claimed for so many milliseconds, in the turn of this message or of another one to the contact. */
async function claimed(milliseconds: number, claimant?: string) {
  const { messageId } = await newConversation(tenants);
  const { table, moment } = product.tableOf(rep.organizationId);
  const key = queuedMessageKey(messageId);
  const leasedUntil = timestamp(plus(moment.now, milliseconds));
  await table.update(key, {
    update: 'SET leasedUntil = :until, leasedFor = :claimant',
    values: { until: leasedUntil, claimant: claimant ?? messageId },
  });
  const acquire = (timeout: number) =>
    acquireLease(table, key, { holder: messageId, duration: leaseDuration, now: moment.now, timeout });
  return { acquire, leasedUntil, stored: () => table.read(key) };
}

test('A run that the platform ends after 30 seconds leases no message without the time that is needed to send it', () => {
  for (const late of [0, second, invocationLimits.queue - leaseDuration]) {
    expect(late + leftToLease(late)).toBe(invocationLimits.queue - leaseDuration);
  }
  expect(() => leftToLease(invocationLimits.queue - leaseDuration + 1)).toThrow(
    'The time of this run is over',
  );
});

test('A run waits no longer than it is told for a message that another run has', async () => {
  const { acquire, leasedUntil, stored } = await claimed(minute);
  const tried = faultyTable();
  onTestFinished(tried.restore);
  // It looks every 200 ms: now, and once more.
  await expect(acquire(0.3 * second)).rejects.toThrow('Another run has this record');
  expect(tried.tries('UpdateItemCommand').length).toBeLessThanOrEqual(2);
  expect((await stored())?.attributes).toMatchObject({ leasedUntil });
});

test('A run takes over the message of a run that died in the same turn', async () => {
  const { acquire } = await claimed(-1);
  expect(await acquire(0)).toBeDefined();
});

test('A run leaves a message that a run in the turn of another one never gave back to that turn, without waiting', async () => {
  const { acquire, leasedUntil, stored } = await claimed(-1, 'another message');
  const tried = faultyTable();
  onTestFinished(tried.restore);
  await expect(acquire(minute)).rejects.toThrow('Another run has this record');
  expect(tried.tries('UpdateItemCommand')).toHaveLength(1);
  expect((await stored())?.attributes).toMatchObject({ leasedUntil, leasedFor: 'another message' });
});

test('A run that waits does not take over when the claim runs out: the message may already be on its way', async () => {
  const { acquire, leasedUntil, stored } = await claimed(0.3 * second);
  await expect(acquire(minute)).rejects.toThrow('Another run has this record');
  expect((await stored())?.attributes).toMatchObject({ leasedUntil });
});
