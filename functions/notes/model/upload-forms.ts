import type { ClockAndIds, Ports } from '../../../shared/kernel/operation.ts';
import { day, periodEnd, utcDay } from '../../../shared/kernel/time.ts';
import { fileLimits, gigabyte, gigabytesADay, trialLimit } from '../../../shared/notes/attached-bytes.ts';
import { largestFile } from '../../../shared/notes/upload-fields.ts';
import { effectiveStorageLimits, textSettings } from '../../../shared/organizations/text-settings.ts';
import type { Key } from '../../../shared/table/key.ts';
import { countUse, type Limit } from '../../../shared/table/limit.ts';

/**
 * The bytes that the upload forms of an organization let through: of a day (`2026-11-20`, in UTC), or of all days while nobody has
 * approved it (`NEWCOMER`).
 */
export const formBytesKey = (period: string): Key<never> => ({
  partition: ['UPLOAD_FORMS'],
  sort: ['BYTES', period],
});

type Sources = Ports<{ table: 'write'; trialPolicy: 'read' }> & Pick<ClockAndIds, 'now'>;

interface Sized {
  readonly size: number;
}

/** How many bytes each form may let through. */
interface CountedForms {
  bytesOf(file: Sized): number;
}

/**
 * Counts the forms for these files before they are given, because nobody learns what is done with them.
 * @throws a 403 `Failure` when they let through more than what an organization on trial may still upload, a 429 for any other organization.
 */
export async function countForms(
  { table, trialPolicy, now }: Sources,
  files: readonly Sized[],
): Promise<CountedForms> {
  const settings =
    trialPolicy.storage === null ? undefined : await table.read(textSettings.key, { consistent: false });
  const limits = effectiveStorageLimits(settings?.data, trialPolicy);
  // An organization on trial states how much of its gigabyte a file takes; for others the same form lets any file through.
  const bytesOf: CountedForms['bytesOf'] = limits === null ? () => largestFile : ({ size }) => size;
  const bytes = files.reduce((sum, file) => sum + bytesOf(file), 0);
  const limit = limits === null ? limitOfDay(now) : trialLimit(formBytesKey('NEWCOMER'), limits.gigabytes);
  await countUse(table, limit, now, bytes);
  return { bytesOf };
}

const limitOfDay = (now: Date): Limit => ({
  key: formBytesKey(utcDay(now)),
  most: gigabytesADay * gigabyte,
  until: periodEnd(now, day),
  announced: { policy: fileLimits.uploaded },
  refusal: `Your organization may upload ${gigabytesADay} GB of files a day, of which each form counts 25 MB, and these files are more than what is left. Upload them after midnight UTC.`,
});
