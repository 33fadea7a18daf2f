import * as z from 'zod/mini';
import { orEmpty } from '../kernel/schemas/fields.ts';
import { day, hour, minute, second, type Timestamp, timestamp } from '../kernel/time.ts';
import { timeZone } from './local-time.ts';

/**
 * The one reader of dates and times that people and other services write: RFC 3339 with everything that it allows (`t` and `z` in lower
 * case, a blank for the `T`, a leap second, fractions of any length) and, of ISO 8601, times without an offset or without seconds and
 * the offsets `+0200` and `+02`. Source: RFC 3339, 5.6; decisions 6, "Ranges".
 */
const time =
  /(\d{4}-\d\d-\d\d)(?:[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:\.(\d+))?)?\s*([Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?/
    .source;
const form = new RegExp(`^${time}$`);

/** The times that `form` takes, for the documentation. */
export const writtenTimePattern = String.raw`^\s*${time}\s*$`;

/** From the first to the last of some instants, in milliseconds since the epoch. */
export interface Instants {
  readonly first: number;
  readonly last: number;
}

/** The meaning of a text: a day, or a time of it. */
interface Written {
  /** The beginning of the day, or the time, as UTC would show it. */
  readonly local: number;
  /** Milliseconds ahead of UTC; undefined for a text that does not say. */
  readonly offset: number | undefined;
  readonly unit: 'day' | 'second' | 'instant';
}

function writtenIn(value: unknown): Written | undefined {
  const [, date, hours, minutes, seconds = '00', fraction = '', zone] =
    (typeof value === 'string' ? form.exec(value.trim()) : null) ?? [];
  if (date === undefined) {
    return undefined;
  }
  const midnight = Date.parse(`${date}T00:00Z`);
  // 30 February would be 2 March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) {
    return undefined;
  }
  if (hours === undefined) {
    return { local: midnight, offset: undefined, unit: 'day' };
  }
  const offset = zone === undefined ? undefined : offsetOf(zone);
  const toTheMinute = midnight + Number(hours) * hour + Number(minutes) * minute;
  if (seconds === '60') {
    return leapSecond(toTheMinute, offset);
  }
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return {
    local: toTheMinute + Number(seconds) * second + milliseconds,
    offset,
    unit: fraction === '' ? 'second' : 'instant',
  };
}

/**
 * A leap second can only be 23:59:60 in UTC. No clock of ours shows one: it is the last millisecond of that minute, and so still of the
 * same day. Source: RFC 3339, 5.7 and appendix D.
 */
function leapSecond(toTheMinute: number, offset: number | undefined): Written | undefined {
  const nextMinute = toTheMinute + minute;
  const unit = offset === undefined ? hour : day;
  return (nextMinute - (offset ?? 0)) % unit === 0
    ? { local: nextMinute - 1, offset, unit: 'instant' }
    : undefined;
}

/** `Z`, `+02:00`, `+0200` or `+02` in milliseconds. */
function offsetOf(zone: string): number {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const ahead = Number(hours ?? 0) * hour + Number(minutes) * minute;
  return sign === '-' ? -ahead : ahead;
}

/**
 * Reads a text: `2026-11-22T09:00:00Z` one instant, `2026-11-22T09:00` the instant at which clocks of the zone show it, `2026-11-22`
 * the whole day there. Undefined for anything else.
 */
export function parseInstants(value: unknown, zone: string): Instants | undefined {
  const written = writtenIn(value);
  if (written === undefined) {
    return undefined;
  }
  const { local, offset, unit } = written;
  if (offset !== undefined) {
    return { first: local - offset, last: local - offset };
  }
  const { instantOf } = timeZone(zone);
  const first = instantOf(local);
  return { first, last: unit === 'day' ? instantOf(local + day) - 1 : first };
}

/** The first instant that a checked text means. */
export function parseMoment(text: string, zone: string): Date {
  return new Date(parseInstants(text, zone)?.first ?? Number.NaN);
}

/**
 * The last instant that a checked text includes as the end of a range. Without a fraction, a time means that whole second; where it comes twice,
 * the range holds both.
 */
export function parseEnd(text: string, zone: string): Date {
  const { local = Number.NaN, offset, unit } = writtenIn(text) ?? {};
  const isLocalTime = offset === undefined && unit !== 'day';
  const last = isLocalTime
    ? timeZone(zone).lastInstantOf(local)
    : (parseInstants(text, zone)?.last ?? Number.NaN);
  return new Date(last + (unit === 'second' ? second - 1 : 0));
}

/** Whether the meaning of a text depends on the time zone. */
export function isLocal(text: string): boolean {
  const written = writtenIn(text);
  return written !== undefined && written.offset === undefined;
}

const [firstMoment, lastMoment] = [Date.parse('0000-01-01'), Date.parse('9999-12-31T23:59:59.999Z')];

/** A timestamp that compares as text: an offset can lead out of the years with four digits, which would not. */
export function comparable(date: Date): Timestamp {
  return timestamp(new Date(Math.min(Math.max(date.getTime(), firstMoment), lastMoment)));
}

const aMoment = 'must be an ISO 8601 date or date-time';
const isMoment = z.refine<string>((text) => writtenIn(text) !== undefined, aMoment);
const documentedMoment = z.meta({
  anyOf: [
    { type: 'string', format: 'date' },
    { type: 'string', format: 'date-time' },
  ],
});

/** A date, or a date-time to the minute or finer, with or without an offset. */
export const IsoMoment = orEmpty(z.string(aMoment).check(isMoment, documentedMoment));

/** The same in a query, where a blank stands where a `+` was that the client did not encode. */
export const QueryMoment = orEmpty(
  z.string(aMoment).check(
    z.overwrite((text) => text.replace(/(:\d\d(?:\.\d+)?) (\d\d(?::?\d\d)?)$/, '$1+$2')),
    isMoment,
    documentedMoment,
  ),
);

/** A date-time to the minute or finer, with or without an offset. */
export const IsoDateTime = orEmpty(
  z.string('must be an ISO 8601 date-time').check(
    z.refine((text) => (writtenIn(text)?.unit ?? 'day') !== 'day', 'must be an ISO 8601 date-time'),
    z.meta({ format: 'date-time' }),
  ),
);
