import { after, second, timestamp } from '../../../shared/kernel/time.ts';
import type { QueuedMessage } from '../../../shared/messages/queued-message.ts';
import { pause } from '../../../shared/table/backoff.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { TableWriter } from '../../../shared/table/table.ts';

/**
 * How long one run has a message for itself: longer than a provider takes, and short enough that another run can wait for the end
 * of a lease whose run died.
 */
export const lease = 15 * second;
const look = 0.5 * second;

/** A message that only this run may send. */
export interface Lease {
  /** Lets the next run lease it at once. */
  release(): Promise<void>;
}

/**
 * Leases a queued message; undefined if it is no longer queued. While another run has it, waits up to `timeout` milliseconds,
 * until the message is sent or the lease of a run that died expires.
 * @throws when another run still has it: try again later.
 */
export async function acquireLease(
  table: TableWriter,
  key: Key<QueuedMessage>,
  now: Date,
  timeout: number,
): Promise<Lease | undefined> {
  const start = performance.now();
  for (;;) {
    const time = after(now, performance.now() - start);
    const until = timestamp(after(time, lease));
    try {
      await table.update(key, {
        update: 'SET claimedUntil = :until',
        when: 'attribute_exists(pk) AND (attribute_not_exists(claimedUntil) OR claimedUntil <= :now)',
        values: { until, now: timestamp(time) },
        otherwise: (existing) => (existing === undefined ? new NotQueued() : new LeasedElsewhere()),
      });
      return { release: () => release(table, key, until) };
    } catch (error) {
      if (error instanceof NotQueued) {
        return undefined;
      }
      if (!(error instanceof LeasedElsewhere) || performance.now() - start + look > timeout) {
        throw error;
      }
      await pause(look);
    }
  }
}

/** Keeps another run's lease. */
async function release(table: TableWriter, key: Key<QueuedMessage>, until: string): Promise<void> {
  await table
    .update(key, {
      update: 'REMOVE claimedUntil',
      when: 'claimedUntil = :until',
      values: { until },
      otherwise: () => new LeasedElsewhere(),
    })
    .catch((error: unknown) => {
      if (!(error instanceof LeasedElsewhere)) {
        throw error;
      }
    });
}

class NotQueued extends Error {}

class LeasedElsewhere extends Error {
  constructor() {
    super('Another run is sending this message');
    this.name = 'LeasedElsewhere';
  }
}
