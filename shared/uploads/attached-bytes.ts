import { Failure } from '../kernel/failure.ts';
import type { ClockAndIds, Ports } from '../kernel/operation.ts';
import { after, day, dayOf, epochSeconds, secondsUntilMidnight } from '../kernel/time.ts';
import { storageLimitsOf, textSettings } from '../messages/text-settings.ts';
import type { Key } from '../table/key.ts';

/** Gigabytes that an organization may attach in a day: each attachment is a copy, which is stored as long as its record. */
export const gigabytesADay = 100;

export const gigabyte = 1024 ** 3;

/** How long a counter of a day is kept. */
const keptFor = 3 * day;

/** The bytes that an organization has attached on a day (`2026-11-20`, in UTC), as the native attribute `attached`. */
export const attachedBytesKey = (date: string): Key<never> => ({
  partition: ['ATTACHED'],
  sort: ['DAY', date],
});

/** The bytes that an organization has attached on all days while nobody had approved it, as the same attribute: copies of one upload, too. */
export const newcomerBytesKey = (): Key<never> => ({ partition: ['ATTACHED'], sort: ['NEWCOMER'] });

export type AttachedSources = Ports<{ table: 'write'; newcomerPolicy: 'read' }> & Pick<ClockAndIds, 'now'>;

/**
 * Counts files that are about to be attached. Not in a transaction: those that change the same item cancel each other, and the copies are
 * made before the record is written.
 * @throws a 403 `Failure` when they are more than what a newcomer may still attach, a 429 when any other organization has attached as much
 * as it may on this day.
 */
export async function countAttached(
  { table, newcomerPolicy, now }: AttachedSources,
  bytes: number,
): Promise<void> {
  const settings =
    newcomerPolicy.storage === null ? undefined : await table.read(textSettings.key, { consistent: false });
  const limits = storageLimitsOf(settings?.data, newcomerPolicy);
  if (limits === null) {
    await table.update(attachedBytesKey(dayOf(now)), {
      update: 'SET expiresAt = :expiresAt ADD attached :bytes',
      when: 'attribute_not_exists(attached) OR attached < :most',
      values: { bytes, most: gigabytesADay * gigabyte, expiresAt: epochSeconds(after(now, keptFor)) },
      otherwise: () => limitReached(now),
    });
  } else {
    const { gigabytes } = limits;
    await table.update(newcomerBytesKey(), {
      update: 'ADD attached :bytes',
      when: 'attribute_not_exists(attached) OR attached <= :room',
      values: { bytes, room: gigabytes * gigabyte - bytes },
      otherwise: () => newcomerUsedUp(gigabytes),
    });
  }
}

/** The failure of a newcomer's files, whether they are to be uploaded or attached. */
export function newcomerUsedUp(gigabytes: number): Failure {
  return new Failure(
    'FORBIDDEN',
    `Until a SUPERADMIN approves your organization, it may upload ${gigabytes} GB of files in all, and these files are more than what is left. Ask the operator of this service to approve it.`,
  );
}

function limitReached(now: Date): Failure {
  return new Failure(
    'TOO_MANY_ATTEMPTS',
    `Your organization may attach ${gigabytesADay} GB of files a day and has attached them. Attach further files after midnight UTC.`,
    { retryAfter: secondsUntilMidnight(now) },
  );
}
