import { invocationLimits } from '../../../shared/kernel/invocation-limits.ts';
import { after, second, timestamp } from '../../../shared/kernel/time.ts';
import type { QueuedMessage } from '../../../shared/messages/queued-message.ts';
import { pause } from '../../../shared/table/backoff.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { TableWriter } from '../../../shared/table/table.ts';

/** How long one run has a message for itself: longer than a provider takes. */
export const lease = 15 * second;
const look = 0.2 * second;

/** Milliseconds of a run after which it leases no more messages, so that the platform never ends it while it has one. */
const leasedWithin = invocationLimits.queue - lease;

/** Milliseconds that a run has left to lease a message, so many after its beginning. @throws when there are none. */
export function leftToLease(late: number): number {
  if (late > leasedWithin) {
    throw new Error('The time of this run is over');
  }
  return leasedWithin - late;
}

/** A message that only this run may send. */
export interface Lease {
  /** Lets the next run lease it at once. */
  release(): Promise<void>;
}

export interface Claim {
  /** The message whose turn in the queue it is: only that turn, when it comes again, takes over what a run never gave back. */
  readonly triedFor: string;
  readonly now: Date;
  /** Milliseconds to wait for another run that has the message. */
  readonly timeout: number;
}

/**
 * Leases a queued message; undefined if it is no longer queued. While another run has it, waits up to `timeout` milliseconds. A run that
 * never gives it back died, or knows what the provider answered and could not record it: the queue delivers its turn again, with the answer
 * if there is one.
 * @throws when another run has it, or has not given it back: try again later.
 */
export async function acquireLease(
  table: TableWriter,
  key: Key<QueuedMessage>,
  { triedFor, now, timeout }: Claim,
): Promise<Lease | undefined> {
  const start = performance.now();
  for (;;) {
    const time = after(now, performance.now() - start);
    const until = timestamp(after(time, lease));
    try {
      await table.update(key, {
        update: 'SET claimedUntil = :until, claimedFor = :triedFor',
        when: 'attribute_exists(pk) AND (attribute_not_exists(claimedUntil) OR (claimedUntil <= :now AND claimedFor = :triedFor))',
        // Not a claim that has run out while this run waited: the turn that had it may be about to say what was answered.
        values: { until, now: timestamp(now), triedFor },
        otherwise: (existing) =>
          existing === undefined ? new NotQueued() : new LeasedElsewhere(String(existing.claimedUntil)),
      });
      return { release: () => release(table, key, until) };
    } catch (error) {
      if (error instanceof NotQueued) {
        return undefined;
      }
      const mayEnd = error instanceof LeasedElsewhere && error.until > timestamp(time);
      if (!mayEnd || performance.now() - start + look > timeout) {
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
      update: 'REMOVE claimedUntil, claimedFor',
      when: 'claimedUntil = :until',
      values: { until },
      otherwise: () => new LeasedElsewhere(until),
    })
    .catch((error: unknown) => {
      if (!(error instanceof LeasedElsewhere)) {
        throw error;
      }
    });
}

class NotQueued extends Error {}

class LeasedElsewhere extends Error {
  readonly until: string;

  constructor(until: string) {
    super('Another run is sending this message');
    this.name = 'LeasedElsewhere';
    this.until = until;
  }
}
