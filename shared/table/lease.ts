import { after, second, timestamp } from '../kernel/time.ts';
import { pause } from './backoff.ts';
import type { Key, Space } from './key.ts';
import type { TableWriter } from './table.ts';

/** Milliseconds after which a waiting run tries again. */
const interval = 0.2 * second;

/** A record that only this run may work on. */
export interface Lease {
  /** Whether no run has leased it before. */
  readonly isFirst: boolean;
  /** Releases it, so that the next run can lease it at once. */
  release(): Promise<void>;
}

export interface Leasing {
  readonly now: Date;
  /** Milliseconds for which this run has the record: longer than all that it does with it. */
  readonly duration: number;
  /** Who leases it. If stated, only the same holder can take over a lease that was not released; otherwise the next run does. */
  readonly holder?: string;
  /** Milliseconds to wait for another run that has the record; 0 unless stated. */
  readonly timeout?: number;
}

/**
 * Leases a record, as its native attributes `leasedUntil`, `leasedFor` and `leases`; undefined if it is gone. While another run has it,
 * waits up to `timeout` milliseconds.
 * @throws when another run has it, or has not released it: try again later.
 */
export async function acquireLease<S extends Space>(
  table: TableWriter<S>,
  key: Key<unknown, S>,
  { now, duration, holder, timeout = 0 }: Leasing,
): Promise<Lease | undefined> {
  const start = performance.now();
  for (;;) {
    const time = after(now, performance.now() - start);
    const until = timestamp(after(time, duration));
    try {
      const { leases } = await table.update(key, {
        update: `SET leasedUntil = :until${holder === undefined ? '' : ', leasedFor = :holder'} ADD leases :one`,
        when: `attribute_exists(pk) AND (attribute_not_exists(leasedUntil) OR leasedUntil <= :now${holder === undefined ? '' : ' AND leasedFor = :holder'})`,
        // Not a lease that has expired while this run waited: its holder may be about to record the outcome.
        values: { until, now: timestamp(now), one: 1, ...(holder !== undefined && { holder }) },
        otherwise: (existing) =>
          existing === undefined ? new Gone() : new LeasedElsewhere(String(existing.leasedUntil)),
      });
      return { isFirst: leases === 1, release: () => release(table, key, until) };
    } catch (error) {
      if (error instanceof Gone) {
        return undefined;
      }
      const mayEnd = error instanceof LeasedElsewhere && error.until > timestamp(time);
      if (!mayEnd || performance.now() - start + interval > timeout) {
        throw error;
      }
      await pause(interval);
    }
  }
}

/** Keeps another run's lease. */
async function release<S extends Space>(
  table: TableWriter<S>,
  key: Key<unknown, S>,
  until: string,
): Promise<void> {
  await table
    .update(key, {
      update: 'REMOVE leasedUntil, leasedFor',
      when: 'leasedUntil = :until',
      values: { until },
      otherwise: () => new LeasedElsewhere(until),
    })
    .catch((error: unknown) => {
      if (!(error instanceof LeasedElsewhere)) {
        throw error;
      }
    });
}

class Gone extends Error {}

/** Another run has the record. */
export class LeasedElsewhere extends Error {
  readonly until: string;

  constructor(until: string) {
    super('Another run has this record');
    this.name = 'LeasedElsewhere';
    this.until = until;
  }
}
