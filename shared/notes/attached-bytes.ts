import type { LimitPolicy } from '../kernel/limit-policy.ts';
import type { ClockAndIds, Ports } from '../kernel/operation.ts';
import { day, periodEnd, utcDay } from '../kernel/time.ts';
import { effectiveStorageLimits, textSettings } from '../organizations/text-settings.ts';
import type { Key } from '../table/key.ts';
import { countUse, type Limit } from '../table/limit.ts';

/** Gigabytes that an organization may attach in a day: each attachment is a copy, which is stored as long as its record. */
export const gigabytesADay = 100;

export const gigabyte = 1024 ** 3;

/** The daily limits of files, as responses announce them. */
export const fileLimits = {
  attached: {
    ...{ name: 'attached-bytes', counts: 'Bytes of files that an organization attaches on a day (UTC)' },
    ...{ quota: gigabytesADay * gigabyte, window: day, unit: 'content-bytes' },
  },
  uploaded: {
    ...{
      name: 'uploaded-bytes',
      counts: 'Bytes of the uploads that an organization prepares on a day (UTC)',
    },
    ...{ quota: gigabytesADay * gigabyte, window: day, unit: 'content-bytes' },
  },
} satisfies Record<string, LimitPolicy>;

/** The bytes that an organization has attached on a day (`2026-11-20`, in UTC). */
export const attachedBytesKey = (date: string): Key<never> => ({
  partition: ['ATTACHED'],
  sort: ['DAY', date],
});

/** The bytes that an organization has attached on all days while nobody had approved it: copies of one upload, too. */
export const trialBytesKey = (): Key<never> => ({ partition: ['ATTACHED'], sort: ['NEWCOMER'] });

export type AttachedSources = Ports<{ table: 'write'; trialPolicy: 'read' }> & Pick<ClockAndIds, 'now'>;

/**
 * Counts files that are about to be attached. Not in a transaction: transactions that change the same item cancel each other, and the copies are
 * made before the record is written.
 * @throws a 403 `Failure` when they are more than what an organization on trial may still attach, a 429 when any other organization has attached as much
 * as it may on this day.
 */
export async function countAttached(
  { table, trialPolicy, now }: AttachedSources,
  bytes: number,
): Promise<void> {
  const settings =
    trialPolicy.storage === null ? undefined : await table.read(textSettings.key, { consistent: false });
  const limits = effectiveStorageLimits(settings?.data, trialPolicy);
  const limit = limits === null ? limitOfDay(bytes, now) : trialLimit(trialBytesKey(), limits.gigabytes);
  await countUse(table, limit, now, bytes);
}

/** The last files of a day may go beyond: only what came before them counts. */
const limitOfDay = (bytes: number, now: Date): Limit => ({
  key: attachedBytesKey(utcDay(now)),
  most: gigabytesADay * gigabyte + bytes - 1,
  until: periodEnd(now, day),
  announced: { policy: fileLimits.attached, quota: fileLimits.attached.quota },
  refusal: `Your organization may attach ${gigabytesADay} GB of files a day and has attached them. Attach further files after midnight UTC.`,
});

/** The limit of files of an organization on trial, whether they are to be uploaded or attached. */
export const trialLimit = (key: Key<never>, gigabytes: number): Limit => ({
  key,
  most: gigabytes * gigabyte,
  until: undefined,
  refusal: `Until a SUPERADMIN approves your organization, it may upload ${gigabytes} GB of files in all, and these files are more than what is left. Ask the operator of this service to approve it.`,
});
