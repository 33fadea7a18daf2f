import * as z from 'zod/mini';
import { described } from './kernel/schemas/descriptions.ts';
import { day, type Timestamp, timestamp } from './kernel/time.ts';

const isoDate = z.iso.date();
const zoned = { offset: true, local: true };
const dateTimeForms = [z.iso.datetime(zoned), z.iso.datetime({ ...zoned, precision: -1 })];
const isoForms = [isoDate, ...dateTimeForms];
const expected = 'must be an ISO 8601 date or date-time';

/** An ISO 8601 date, or a date-time to the minute or finer, with or without an offset. */
export const IsoMoment = z.string(expected).check(
  z.refine((text) => isoForms.some((form) => z.safeParse(form, text).success), expected),
  z.meta({
    anyOf: [
      { type: 'string', format: 'date' },
      { type: 'string', format: 'date-time' },
    ],
  }),
);

/** An ISO 8601 date-time to the minute or finer, with or without an offset. */
export const IsoDateTime = z.string('must be an ISO 8601 date-time').check(
  z.refine(
    (text) => dateTimeForms.some((form) => z.safeParse(form, text).success),
    'must be an ISO 8601 date-time',
  ),
  z.meta({ format: 'date-time' }),
);

/**
 * A time range, both ends inclusive; either may be missing. As the end, a date without a time means the end of that day in UTC.
 * Source: decisions 6, "Ranges".
 */
export const TimeRange = z.pipe(
  described(z.object({ start: z.nullish(IsoMoment), end: z.nullish(IsoMoment) }), {
    start: 'The first moment: a date-time, or a date for the beginning of that day in UTC.',
    end: 'The last moment, inclusive: a date-time, or a date for the end of that day in UTC.',
  }),
  z.transform(({ start, end }) => ({
    from: start ? comparable(momentOf(start)) : undefined,
    to: end ? comparable(endOf(end)) : undefined,
  })),
);
export type TimeRange = z.output<typeof TimeRange>;

const [firstMoment, lastMoment] = [Date.parse('0000-01-01'), Date.parse('9999-12-31T23:59:59.999Z')];

/** A timestamp that compares as text: an offset can lead out of the years with four digits, which would not. */
export function comparable(date: Date): Timestamp {
  return timestamp(new Date(Math.min(Math.max(date.getTime(), firstMoment), lastMoment)));
}

/** A time without an offset is in UTC, like every time of the service. */
export function momentOf(text: string): Date {
  return new Date(/T[^Z+-]*$/i.test(text) ? `${text}Z` : text);
}

function endOf(end: string): Date {
  const date = momentOf(end);
  return z.safeParse(isoDate, end).success ? new Date(date.getTime() + day - 1) : date;
}

/** Whether the timestamp lies in the range. */
export function isWithin(at: string, { from, to }: TimeRange): boolean {
  return (from === undefined || at >= from) && (to === undefined || at <= to);
}
