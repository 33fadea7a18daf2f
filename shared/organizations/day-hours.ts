import { day, minute } from '../kernel/time.ts';
import type { BusinessHours, OpeningHours } from './business-hours.ts';
import type { LocalTime } from './local-time.ts';

/** The source of a day's hours, in order of precedence; `none` if there are no weekly hours. */
export const hoursRules = ['exceptional', 'holiday', 'week', 'none'] as const;
export type HoursRule = (typeof hoursRules)[number];

/** A day of the calendar: the days from 1970-01-01 to it. */
export type CalendarDay = number;

/** From a local time to another, which is excluded. */
interface Span {
  readonly start: LocalTime;
  readonly end: LocalTime;
}

/** The rule of a day, and the hours that begin on it; they may end on the next one. */
export interface DayHours {
  readonly rule: HoursRule;
  readonly spans: readonly Span[];
}

/** Business hours by day of the calendar. */
export interface Schedule {
  hoursOn(date: CalendarDay): DayHours;
  /** The days with hours from this one on, in order; without end in time, but not in number. */
  daysWithHours(from: CalendarDay): Iterable<CalendarDay>;
  /** Holidays and days with exceptional hours, in order. */
  readonly specialDays: readonly CalendarDay[];
  /** Whether each usual day ends where the next one begins: only special days interrupt them. */
  readonly isUnbroken: boolean;
}

export function calendarDate(local: LocalTime): CalendarDay {
  return Math.floor(local / day);
}

export function toSchedule(hours: BusinessHours): Schedule {
  const special = specialHours(hours);
  const specialDays = [...special.keys()].sort((key, other) => key - other);
  const hoursOn = (date: CalendarDay) => special.get(date) ?? usualHours(hours, date);
  return {
    hoursOn,
    specialDays,
    isUnbroken: isUnbroken(hours),
    *daysWithHours(from) {
      // A special day takes the hours of one week's day, a clock that is put forward those of another: this is more than enough.
      const last = from + 2 * 7 * (specialDays.length + 2);
      for (let date = from; date <= last; date += 1) {
        if (hoursOn(date).spans.length > 0) {
          yield date;
        }
      }
      yield* specialDays.filter((date) => date > last && hoursOn(date).spans.length > 0);
    },
  };
}

function specialHours({ holidays, exceptionalHours }: BusinessHours): Map<CalendarDay, DayHours> {
  const hours = new Map<CalendarDay, DayHours>(
    holidays.map(({ date }) => [calendarDate(Date.parse(date)), { rule: 'holiday', spans: [] }]),
  );
  for (const [text, entries] of Map.groupBy(exceptionalHours, ({ date }) => date)) {
    const date = calendarDate(Date.parse(text));
    const isClosed = entries.some(({ closed }) => closed);
    const spans = isClosed ? [] : entries.flatMap((times) => spansOn(date, times));
    hours.set(date, { rule: 'exceptional', spans });
  }
  return hours;
}

function usualHours({ businessHours }: BusinessHours, date: CalendarDay): DayHours {
  if (businessHours === null) {
    return { rule: 'none', spans: spansOn(date, allDay) };
  }
  const weekday = weekdays[(((date + 3) % 7) + 7) % 7] ?? 'monday';
  const times = businessHours[weekday];
  return { rule: 'week', spans: times?.enabled ? spansOn(date, times) : [] };
}

const lastMinute = '23:59';
const allDay = { start: '00:00', end: '00:00' };

/** 1970-01-01 was a Thursday. */
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/**
 * Hours that end when they start last a whole day. An end of 23:59 includes that minute, because midnight as an end cannot be written
 * otherwise. Source: decisions 7.
 */
function spansOn(date: CalendarDay, { start, end }: Pick<Partial<OpeningHours>, 'start' | 'end'>): Span[] {
  if (start === undefined || end === undefined) {
    return [];
  }
  const midnight = date * day;
  const endsOn = end > start ? midnight : midnight + day;
  return [{ start: midnight + timeOfDay(start), end: endsOn + (end === lastMinute ? day : timeOfDay(end)) }];
}

/** `HH:mm` in milliseconds. */
function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * minute;
}

function isUnbroken({ businessHours }: BusinessHours): boolean {
  if (businessHours === null) {
    return true;
  }
  const spans = weekdays.map((name) => {
    const times = businessHours[name];
    return times?.enabled ? spansOn(0, times)[0] : undefined;
  });
  return spans.every((span, index) => {
    const next = spans[(index + 1) % spans.length];
    return span !== undefined && next !== undefined && span.end >= day + next.start;
  });
}
