import { Failure } from '../../../shared/kernel/failure.ts';
import type { Range } from '../../../shared/table/key.ts';
import { day, timestamp } from '../../../shared/time.ts';
import { momentOf } from '../../../shared/time-range.ts';
import { dayOf, leadCounterRange } from './lead-counting.ts';

/** Days of a range unless stated, and at most. */
export const rangeDays = { usual: 30, most: 366 };

const lastDay = dayNumber(new Date('9999-12-31'));

/**
 * The days in UTC, both ends inclusive, that a query asks for by dates or moments of ISO 8601; the last 30 unless stated. Each is
 * like `2026-11-20`.
 * @throws a 400 `Failure` for a range that is none, or too long.
 */
export function daysAsked(
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

/** Where the counters of these days lie, month by month. */
export function counterRanges(days: readonly string[]): Range<never>[] {
  const months = Map.groupBy(days, (date) => date.slice(0, 7));
  return [...months.values()].map((some) => leadCounterRange(some[0] ?? '', some.at(-1) ?? ''));
}
