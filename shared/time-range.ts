import * as z from 'zod';
import { day } from './time.ts';

/** An ISO 8601 date, or date-time with an offset. */
const isoDate = z.iso.date();
const isoMoment = z.union(
  [isoDate, z.iso.datetime({ offset: true })],
  'must be an ISO 8601 date or date-time',
);

/**
 * A window of time, both ends inclusive; either may be missing. A date without a time as the end means the end of that
 * day, UTC. Source: decisions 6, "Ranges".
 */
export const TimeRange = z
  .object({ start: isoMoment.nullish(), end: isoMoment.nullish() })
  .transform(({ start, end }) => ({
    from: start ? new Date(start).toISOString() : undefined,
    to: end ? endOf(end).toISOString() : undefined,
  }));
export type TimeRange = z.output<typeof TimeRange>;

function endOf(end: string): Date {
  const date = new Date(end);
  return isoDate.safeParse(end).success ? new Date(date.getTime() + day - 1) : date;
}

/** True when the timestamp lies in the window. */
export function lies(at: string, { from, to }: TimeRange): boolean {
  return (from === undefined || at >= from) && (to === undefined || at <= to);
}
