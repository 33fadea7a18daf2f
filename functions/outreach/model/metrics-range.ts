import { Failure } from '../../../shared/kernel/failure.ts';
import { day, timestamp } from '../../../shared/kernel/time.ts';
import type { Range } from '../../../shared/table/key.ts';
import { momentOf } from '../../../shared/time-range.ts';
import { dayOf, leadCounterRange } from './lead-counting.ts';

/** The usual and the most days of a range. */
export const rangeDays = { usual: 30, most: 366 };

const lastDay = dayNumber(new Date('9999-12-31'));

/**
 * The days in UTC (`2026-11-20`), both ends inclusive, of a query with ISO 8601 dates or date-times; the last 30 unless stated.
 * @throws a 400 `Failure` for a range that is not one, or that is too long.
 */
export function requestedDays(
  { startDate, endDate }: { startDate?: string | undefined; endDate?: string | undefined },
  now: Date,
): string[] {
  const last = dayNumber(endDate === undefined ? now : momentOf(endDate));
  const first = startDate === undefined ? last - rangeDays.usual + 1 : dayNumber(momentOf(startDate));
  if (first < 0 || last > lastDay) {
    throw new Failure('INVALID', 'startDate and endDate must be in the years 1970 to 9999');
  }
  if (first > last) {
    throw new Failure('INVALID', 'startDate must not be after endDate, which is today by default');
  }
  if (last - first >= rangeDays.most) {
    throw new Failure('INVALID', `startDate and endDate must span at most ${rangeDays.most} days`);
  }
  return Array.from({ length: last - first + 1 }, (_, index) =>
    dayOf(timestamp(new Date((first + index) * day))),
  );
}

/** Days since 1970. */
function dayNumber(date: Date): number {
  return Math.floor(date.getTime() / day);
}

/** The ranges of these days' counters, one for each month. */
export function counterRanges(days: readonly string[]): Range<never>[] {
  const months = Map.groupBy(days, (date) => date.slice(0, 7));
  return [...months.values()].map((some) => leadCounterRange(some[0] ?? '', some.at(-1) ?? ''));
}
