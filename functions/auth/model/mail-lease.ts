import { after, second, timestamp } from '../../../shared/kernel/time.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { queuedMailKey } from './queued-mail.ts';

/** How long one run has a mail for itself: longer than all that it does with it. */
const lease = 20 * second;

/** A mail that only this run may send. */
export interface MailLease {
  /** Whether no run has had it before. */
  readonly isFirst: boolean;
  /** Lets the next run lease it at once. */
  release(): Promise<void>;
}

/**
 * Leases a queued mail; undefined if it is no longer queued.
 * @throws when another run has it: try again later.
 */
export async function leaseMail(
  identity: TableWriter<'identity'>,
  mailId: string,
  now: Date,
): Promise<MailLease | undefined> {
  const key = queuedMailKey(mailId);
  const until = timestamp(after(now, lease));
  try {
    const { leases } = await identity.update(key, {
      update: 'SET leasedUntil = :until ADD leases :one',
      when: 'attribute_exists(pk) AND (attribute_not_exists(leasedUntil) OR leasedUntil <= :now)',
      values: { until, now: timestamp(now), one: 1 },
      otherwise: (existing) => (existing === undefined ? new NotQueued() : new LeasedElsewhere()),
    });
    return {
      isFirst: leases === 1,
      async release() {
        await identity
          .update(key, {
            update: 'REMOVE leasedUntil',
            when: 'leasedUntil = :until',
            values: { until },
            otherwise: () => new LeasedElsewhere(),
          })
          .catch(unlessLeasedElsewhere);
      },
    };
  } catch (error) {
    if (error instanceof NotQueued) {
      return undefined;
    }
    throw error;
  }
}

class NotQueued extends Error {}

class LeasedElsewhere extends Error {
  constructor() {
    super('Another run is sending this mail');
    this.name = 'LeasedElsewhere';
  }
}

function unlessLeasedElsewhere(error: unknown): void {
  if (!(error instanceof LeasedElsewhere)) {
    throw error;
  }
}
