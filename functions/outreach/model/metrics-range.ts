import { Failure } from '../../../shared/kernel/failure.ts';
import { day, timestamp } from '../../../shared/kernel/time.ts';
import { timeZone } from '../../../shared/organizations/local-time.ts';
import { parseMoment } from '../../../shared/organizations/written-times.ts';
import type { Range } from '../../../shared/table/key.ts';
import { leadCounterRange } from './lead-counting.ts';

/** The usual and the most days of a range. */
export const rangeDays = { usual: 30, most: 366 };

const lastDay = dayNumber(new Date('9999-12-31'), 'UTC');

/** Days of the calendar, counted from 1970-01-01, both ends inclusive. */
interface DaySpan {
  readonly first: number;
  readonly last: number;
}

/** The days in this time zone of a query with dates or date-times; the last 30 unless stated. */
export function daySpan(
  { startDate, endDate }: { startDate?: string | undefined; endDate?: string | undefined },
  zone: string,
  now: Date,
): DaySpan {
  const last = dayNumber(endDate === undefined ? now : parseMoment(endDate, zone), zone);
  const first =
    startDate === undefined ? last - rangeDays.usual + 1 : dayNumber(parseMoment(startDate, zone), zone);
  return { first, last };
}

/**
 * The days of a span, as `2026-11-20`.
 * @throws a 400 `Failure` for a range that is not one, or that is too long.
 */
export function daysInSpan({ first, last }: DaySpan): string[] {
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
    timestamp(new Date((first + index) * day)).slice(0, 10),
  );
}

/** The days from 1970-01-01 to the one that it is in the zone. */
function dayNumber(date: Date, zone: string): number {
  return Math.floor(timeZone(zone).localTimeAt(date.getTime()) / day);
}

/** The ranges of these days' counters, one for each month. */
export function counterRanges(days: readonly string[]): Range<never>[] {
  const months = Map.groupBy(days, (date) => date.slice(0, 7));
  return [...months.values()].map((some) => leadCounterRange(some[0] ?? '', some.at(-1) ?? ''));
}
