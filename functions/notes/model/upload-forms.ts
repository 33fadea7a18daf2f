import { Failure } from '../../../shared/kernel/failure.ts';
import type { ClockAndIds, Ports } from '../../../shared/kernel/operation.ts';
import { after, day, dayOf, epochSeconds, secondsUntilMidnight } from '../../../shared/kernel/time.ts';
import { storageLimitsOf, textSettings } from '../../../shared/messages/text-settings.ts';
import type { Key } from '../../../shared/table/key.ts';
import { gigabyte, gigabytesADay, newcomerUsedUp } from '../../../shared/uploads/attached-bytes.ts';
import { largestFile } from '../../../shared/uploads/upload-fields.ts';

/**
 * The bytes that the upload forms of an organization let through, as the native attribute `givenOut`: of a day (`2026-11-20`, in UTC),
 * or of all days while nobody has approved it (`NEWCOMER`).
 */
export const formBytesKey = (period: string): Key<never> => ({
  partition: ['UPLOAD_FORMS'],
  sort: ['BYTES', period],
});

/** How long a counter of a day is kept. */
const keptFor = 3 * day;

type Sources = Ports<{ table: 'write'; newcomerPolicy: 'read' }> & Pick<ClockAndIds, 'now'>;

interface Sized {
  readonly size: number;
}

/** How many bytes each form may let through. */
interface CountedForms {
  bytesOf(file: Sized): number;
}

/**
 * Counts the forms for these files before they are given, because nobody learns what is done with them.
 * @throws a 403 `Failure` when they let through more than what a newcomer may still upload, a 429 for any other organization.
 */
export async function countForms(
  { table, newcomerPolicy, now }: Sources,
  files: readonly Sized[],
): Promise<CountedForms> {
  const settings =
    newcomerPolicy.storage === null ? undefined : await table.read(textSettings.key, { consistent: false });
  const limits = storageLimitsOf(settings?.data, newcomerPolicy);
  // A newcomer states how much of its gigabyte a file takes; for others the same form lets any file through.
  const bytesOf: CountedForms['bytesOf'] = limits === null ? () => largestFile : ({ size }) => size;
  const bytes = files.reduce((sum, file) => sum + bytesOf(file), 0);
  if (limits === null) {
    const { update, values, ...counting } = givingOut(bytes, gigabytesADay);
    await table.update(formBytesKey(dayOf(now)), {
      ...counting,
      update: `SET expiresAt = :expiresAt ${update}`,
      values: { ...values, expiresAt: epochSeconds(after(now, keptFor)) },
      otherwise: () => usedUpToday(now),
    });
  } else {
    const { gigabytes } = limits;
    await table.update(formBytesKey('NEWCOMER'), {
      ...givingOut(bytes, gigabytes),
      otherwise: () => newcomerUsedUp(gigabytes),
    });
  }
  return { bytesOf };
}

const givingOut = (bytes: number, gigabytes: number) => ({
  update: 'ADD givenOut :bytes',
  when: 'attribute_not_exists(givenOut) OR givenOut <= :room',
  values: { bytes, room: gigabytes * gigabyte - bytes },
});

function usedUpToday(now: Date): Failure {
  return new Failure(
    'TOO_MANY_ATTEMPTS',
    `Your organization may upload ${gigabytesADay} GB of files a day, of which each form counts 25 MB, and these files are more than what is left. Upload them after midnight UTC.`,
    { retryAfter: secondsUntilMidnight(now) },
  );
}
