import { remember } from '../kernel/remember.ts';
import { day, second } from '../kernel/time.ts';

/** A date and time of day in some time zone: the milliseconds since the epoch at which UTC shows them. */
export type LocalTime = number;

/** Converts between instants, in milliseconds since the epoch, and what the clocks of a time zone show. */
export interface TimeZone {
  localTimeAt(instant: number): LocalTime;
  /**
   * The instant at which clocks show this. A time that comes twice, as clocks are put back, means the first one; a time that is skipped
   * counts on from before the skip: where 02:00 to 03:00 is skipped, 02:30 is 03:30. Source: RFC 5545, 3.3.5, "FORM #3".
   */
  instantOf(local: LocalTime): number;
  /** The same, but of a time that comes twice the second one. */
  lastInstantOf(local: LocalTime): number;
}

/** @param name of the IANA time zone database; one that this machine's copy does not have counts as UTC. */
export function timeZone(name: string): TimeZone {
  const clock = clockOf(name);
  const localTimeAt = (instant: number) => {
    const sinceSecond = ((instant % second) + second) % second;
    return clock(instant - sinceSecond) + sinceSecond;
  };
  const offsetAt = (instant: number) => localTimeAt(instant) - instant;
  const instantsOf = (local: LocalTime) => {
    // No zone is more than a day from UTC: these are the offsets before and after any change near this time.
    const before = local - offsetAt(local - day);
    const after = local - offsetAt(local + day);
    const instants = [before, after].filter((instant) => localTimeAt(instant) === local);
    return instants.length === 0 ? [before] : instants;
  };
  return {
    localTimeAt,
    instantOf: (local) => Math.min(...instantsOf(local)),
    lastInstantOf: (local) => Math.max(...instantsOf(local)),
  };
}

type Clock = (instant: number) => LocalTime;

/** To make one takes a hundred times as long as to read it. */
const clocks = new Map<string, Clock>();
const maxClocks = 40;

function clockOf(name: string): Clock {
  const clock = clocks.get(name) ?? newClock(name);
  remember(clocks, name, clock, maxClocks);
  return clock;
}

/** No zone of the database changed its clocks before that; and years before 100 and before Christ are written ambiguously. */
const firstChanges = Date.UTC(1800, 0);

/** Shows whole seconds. */
function newClock(name: string): Clock {
  const format = formatOf(name);
  const offsetAtFirst = () => clock(firstChanges) - firstChanges;
  const clock: Clock = (instant) => {
    if (instant < firstChanges) {
      return instant + offsetAtFirst();
    }
    const [month = 1, date = 1, year = 1970, hour = 0, minute = 0, seconds = 0] = (
      format.format(instant).match(/\d+/g) ?? []
    ).map(Number);
    return Date.UTC(year, month - 1, date, hour, minute, seconds);
  };
  return clock;
}

function formatOf(name: string): Intl.DateTimeFormat {
  const options = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { ...options, timeZone: name });
  } catch {
    return new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' });
  }
}
