import { pause } from '../../../shared/table/backoff.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { after, second, timestamp } from '../../../shared/time.ts';
import type { QueuedMessage } from './queued-message.ts';

/**
 * How long one run has a message to itself: longer than a provider takes at most, and short enough that a run which finds a
 * message leased by one that died can wait for the end of the lease.
 */
export const lease = 15 * second;
const look = 0.5 * second;

/** A message that this run alone may send. */
export interface Lease {
  /** How often somebody has set out to send it, this time included. */
  readonly attempt: number;
  /** Lets the next run take it at once. */
  release(): Promise<void>;
}

/**
 * Claims a queued message; undefined when it is not queued any more. Waits while another run has it, which ends by the message
 * being sent, or by the claim of a run that died running out; but no more than `timeout` milliseconds.
 * @throws when another run has it still: try again later.
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
      const { attempts } = await table.update(key, {
        update: 'SET claimedUntil = :until ADD attempts :one',
        when: 'attribute_exists(pk) AND (attribute_not_exists(claimedUntil) OR claimedUntil <= :now)',
        values: { until, now: timestamp(time), one: 1 },
        otherwise: (existing) => (existing === undefined ? new NotQueued() : new ClaimedElsewhere()),
      });
      return { attempt: Number(attempts), release: () => release(table, key, until) };
    } catch (error) {
      if (error instanceof NotQueued) {
        return undefined;
      }
      if (!(error instanceof ClaimedElsewhere) || performance.now() - start + look > timeout) {
        throw error;
      }
      await pause(look);
    }
  }
}

/** Another run's claim stays. */
async function release(table: TableWriter, key: Key<QueuedMessage>, until: string): Promise<void> {
  await table
    .update(key, {
      update: 'REMOVE claimedUntil',
      when: 'claimedUntil = :until',
      values: { until },
      otherwise: () => new ClaimedElsewhere(),
    })
    .catch((error: unknown) => {
      if (!(error instanceof ClaimedElsewhere)) {
        throw error;
      }
    });
}

class NotQueued extends Error {}

class ClaimedElsewhere extends Error {
  constructor() {
    super('Another run is sending this message');
    this.name = 'ClaimedElsewhere';
  }
}
