import type { BusinessHours } from './business-hours.ts';
import { type CalendarDay, calendarDate, type HoursRule, type Schedule, toSchedule } from './day-hours.ts';
import { type TimeZone, timeZone } from './local-time.ts';

/** Whether an organization is open at an instant. */
export interface Opening {
  readonly open: boolean;
  /** The rule that decided: of the day on which the hours began, or, while closed, of the day that it is. */
  readonly because: HoursRule;
  /** While closed, when it opens next, however far away; absent if it never does. */
  readonly opensAt?: Date;
  /** While open, when it closes, this instant excluded; absent if it never does. */
  readonly closesAt?: Date;
}

/**
 * Every day of the calendar has one rule: its exceptional hours, else its holiday, else its day of the week. What begins on it belongs
 * to it, also what lasts into the next day: a holiday cancels the hours that begin on it, and not the end of those of the day before.
 * Several exceptional hours of a day add up, unless one of them closes it. Hours that touch or overlap are one opening. Without weekly
 * hours each day without a rule of its own is open. Local times that clocks skip or show twice: see `TimeZone`.
 */
export function openingAt(hours: BusinessHours, at: Date): Opening {
  const calendar = calendarOf(hours);
  const instant = at.getTime();
  const today = calendarDate(calendar.zone.localTimeAt(instant));
  const current = hoursNear(calendar, today).filter(({ begin, end }) => begin <= instant && instant < end);
  const [first] = current;
  if (first === undefined) {
    const opensAt = nextOpening(calendar, today, instant);
    const because = calendar.schedule.hoursOn(today).rule;
    return { open: false, because, ...(opensAt !== undefined && { opensAt: new Date(opensAt) }) };
  }
  const closesAt = closing(calendar, Math.max(...current.map(({ end }) => end)));
  return { open: true, because: first.rule, ...(closesAt !== undefined && { closesAt: new Date(closesAt) }) };
}

/** Hours in instants; `end` is excluded. */
interface Hours {
  readonly rule: HoursRule;
  readonly begin: number;
  readonly end: number;
}

interface Calendar {
  readonly zone: TimeZone;
  readonly schedule: Schedule;
  /** The hours that begin on a day, without hours that a change of clocks leaves nothing of. */
  hoursOn(date: CalendarDay): readonly Hours[];
}

function calendarOf(businessHours: BusinessHours): Calendar {
  const zone = timeZone(businessHours.timezone);
  const schedule = toSchedule(businessHours);
  // Days are looked at more than once, and clocks take the most time.
  const days = new Map<CalendarDay, readonly Hours[]>();
  const read = (date: CalendarDay) => {
    const { rule, spans } = schedule.hoursOn(date);
    return spans
      .map(({ start, end }) => ({ rule, begin: zone.instantOf(start), end: zone.instantOf(end) }))
      .filter(({ begin, end }) => begin < end);
  };
  return {
    zone,
    schedule,
    hoursOn(date) {
      const hours = days.get(date) ?? read(date);
      days.set(date, hours);
      return hours;
    },
  };
}

/**
 * The hours that may contain an instant of this day; hours that begin on the day come first. Clocks put back or forward around midnight
 * carry hours one day further.
 */
function hoursNear(calendar: Calendar, date: CalendarDay): Hours[] {
  return [date, date - 1, date - 2, date + 1].flatMap((each) => calendar.hoursOn(each));
}

function nextOpening(calendar: Calendar, today: CalendarDay, instant: number): number | undefined {
  for (const date of calendar.schedule.daysWithHours(today - 1)) {
    // Where clocks are put forward at midnight, hours of the next day may begin before those of this one.
    const begins = [date, date + 1]
      .flatMap((each) => calendar.hoursOn(each))
      .map(({ begin }) => begin)
      .filter((begin) => begin > instant);
    if (begins.length > 0) {
      return Math.min(...begins);
    }
  }
  return undefined;
}

/** The end of the opening that contains hours with this end; undefined if it has none. */
function closing(calendar: Calendar, hoursEnd: number): number | undefined {
  for (let end: number | undefined = hoursEnd; end !== undefined; end = withoutUsualDays(calendar, end)) {
    const before: number = end;
    const following = hoursNear(calendar, calendarDate(calendar.zone.localTimeAt(before)));
    const latest = Math.max(...following.filter(({ begin }) => begin <= before).map((hours) => hours.end));
    if (latest <= before) {
      return before;
    }
    end = latest;
  }
  return undefined;
}

/**
 * The end of the last usual hours before the next special day, if all usual ones from this instant on follow each other without a
 * break; undefined if no special day follows. Years may lie between.
 */
function withoutUsualDays({ zone, schedule }: Calendar, end: number): number | undefined {
  const date = calendarDate(zone.localTimeAt(end));
  const next = schedule.specialDays.find((special) => special >= date - 2);
  if (!schedule.isUnbroken || (next !== undefined && next <= date + 2)) {
    return end;
  }
  const [lastUsual] = next === undefined ? [] : schedule.hoursOn(next - 1).spans;
  return lastUsual && zone.instantOf(lastUsual.start);
}
