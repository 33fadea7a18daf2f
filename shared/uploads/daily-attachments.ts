import { Failure } from '../kernel/failure.ts';
import { after, day, dayOf, epochSeconds, secondsUntilMidnight } from '../kernel/time.ts';
import type { Key } from '../table/key.ts';
import type { TableWriter } from '../table/table.ts';

/** Gigabytes that an organization may attach in a day: each attachment is a copy, which is stored as long as its record. */
export const gigabytesADay = 100;

/** How long a counter is kept. */
const keptFor = 3 * day;

/** The bytes that an organization has attached on a day (`2026-11-20`, in UTC), as the native attribute `attached`. */
export const attachedBytesKey = (date: string): Key<never> => ({
  partition: ['ATTACHED'],
  sort: ['DAY', date],
});

/**
 * Counts files that are about to be attached. Not in a transaction: those that change the same item cancel each other.
 * @throws a 429 `Failure` when the organization has attached as much as it may on this day.
 */
export async function countAttached(table: TableWriter, bytes: number, now: Date): Promise<void> {
  await table.update(attachedBytesKey(dayOf(now)), {
    update: 'SET expiresAt = :expiresAt ADD attached :bytes',
    when: 'attribute_not_exists(attached) OR attached < :most',
    values: { bytes, most: gigabytesADay * 1024 ** 3, expiresAt: epochSeconds(after(now, keptFor)) },
    otherwise: () => limitReached(now),
  });
}

function limitReached(now: Date): Failure {
  return new Failure(
    'TOO_MANY_ATTEMPTS',
    `Your organization may attach ${gigabytesADay} GB of files a day and has attached them. Attach further files after midnight UTC.`,
    { retryAfter: secondsUntilMidnight(now) },
  );
}
