import { Temporal } from 'temporal-polyfill';
import type { BusinessHours } from '../../shared/organizations/business-hours.ts';

/** From one instant to another, which is excluded, in milliseconds since the epoch. */
interface Interval {
  readonly rule: string;
  readonly begin: number;
  readonly end: number;
}

/**
 * Whether an organization is open, by another way and with another arithmetic: all hours of some days are written down as intervals of
 * instants, sorted and melted together. A change that is further away than these days is only said to be so.
 */
export function modelOpening(hours: BusinessHours, instant: number, days: number) {
  const today = Temporal.Instant.fromEpochMilliseconds(instant)
    .toZonedDateTimeISO(hours.timezone)
    .toPlainDate();
  const intervals = Array.from({ length: days + 4 }, (_, index) => index - 3).flatMap((index) =>
    intervalsOf(hours, today.add({ days: index })),
  );
  const horizon = today.add({ days: days - 1 }).toZonedDateTime(hours.timezone).epochMilliseconds;
  const melted = meltedTogether(intervals);
  const current = melted.find(({ begin, end }) => begin <= instant && instant < end);
  if (current === undefined) {
    const next = melted.find(({ begin }) => begin > instant)?.begin;
    return { open: false, because: ruleOf(hours, today), change: known(next, horizon) };
  }
  const byNearness = [0, -1, -2, 1].flatMap((index) => intervalsOf(hours, today.add({ days: index })));
  const because = byNearness.find(({ begin, end }) => begin <= instant && instant < end)?.rule;
  return { open: true, because, change: known(current.end, horizon) };
}

/** The instants at which hours begin or end around a day. */
export function edgesAround({ timezone, ...hours }: BusinessHours, instant: number): number[] {
  const date = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone).toPlainDate();
  return [-1, 0, 1].flatMap((index) =>
    intervalsOf({ timezone, ...hours }, date.add({ days: index })).flatMap(({ begin, end }) => [begin, end]),
  );
}

const known = (change: number | undefined, horizon: number) =>
  change !== undefined && change < horizon ? change : 'later';

function ruleOf(hours: BusinessHours, date: Temporal.PlainDate): 'exceptional' | 'holiday' | 'week' | 'none' {
  const isOn = (entry: { date: string }) => entry.date === date.toString();
  if (hours.exceptionalHours.some(isOn)) {
    return 'exceptional';
  }
  if (hours.holidays.some(isOn)) {
    return 'holiday';
  }
  return hours.businessHours === null ? 'none' : 'week';
}

const dayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

function timesOf(
  hours: BusinessHours,
  date: Temporal.PlainDate,
): { start?: string | undefined; end?: string | undefined }[] {
  const week = hours.businessHours ?? {};
  const today = week[dayNames[date.dayOfWeek - 1] ?? 'monday'];
  const entries = hours.exceptionalHours.filter((entry) => entry.date === date.toString());
  switch (ruleOf(hours, date)) {
    case 'exceptional':
      return entries.some(({ closed }) => closed) ? [] : entries;
    case 'holiday':
      return [];
    case 'week':
      return today?.enabled === true ? [today] : [];
    case 'none':
      return [{ start: '00:00', end: '00:00' }];
  }
}

function intervalsOf(hours: BusinessHours, date: Temporal.PlainDate): Interval[] {
  const instantAt = (day: Temporal.PlainDate, time: string) =>
    day
      .toPlainDateTime(Temporal.PlainTime.from(time))
      .toZonedDateTime(hours.timezone, { disambiguation: 'compatible' }).epochMilliseconds;
  return timesOf(hours, date).flatMap(({ start = '', end = '' }) => {
    const last = Temporal.PlainTime.compare(end, start) > 0 ? date : date.add({ days: 1 });
    // The only way to write midnight as an end.
    const stop = end === '23:59' ? instantAt(last.add({ days: 1 }), '00:00') : instantAt(last, end);
    const interval = { rule: ruleOf(hours, date), begin: instantAt(date, start), end: stop };
    return interval.begin < interval.end ? [interval] : [];
  });
}

function meltedTogether(intervals: readonly Interval[]): { begin: number; end: number }[] {
  const melted: { begin: number; end: number }[] = [];
  for (const { begin, end } of [...intervals].sort((interval, other) => interval.begin - other.begin)) {
    const last = melted.at(-1);
    if (last !== undefined && begin <= last.end) {
      last.end = Math.max(last.end, end);
    } else {
      melted.push({ begin, end });
    }
  }
  return melted;
}
