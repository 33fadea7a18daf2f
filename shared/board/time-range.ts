import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import type { Timestamp } from '../kernel/time.ts';
import { comparable, IsoMoment, parseEnd, parseMoment } from '../organizations/written-times.ts';

/** A time range as a client writes it; either end may be missing. */
export const WrittenRange = described(z.object({ start: z.nullish(IsoMoment), end: z.nullish(IsoMoment) }), {
  start:
    'The first moment: a date-time, or a date for the beginning of that day; without an offset, in the time zone of the organization.',
  end: 'The last moment, inclusive: a date-time, whose second is included whole unless it has a fraction (both, of a time that comes twice as clocks are put back), or a date for the end of that day; without an offset, in the time zone of the organization.',
});
export type WrittenRange = z.output<typeof WrittenRange>;

/** A time range, both ends inclusive; either may be missing. */
export interface TimeRange {
  readonly from: Timestamp | undefined;
  readonly to: Timestamp | undefined;
}

/** The range in the time zone of the organization. Source: decisions 6, "Ranges". */
export function timeRange({ start, end }: WrittenRange, zone: string): TimeRange {
  return {
    from: start ? comparable(parseMoment(start, zone)) : undefined,
    to: end ? comparable(parseEnd(end, zone)) : undefined,
  };
}

/** Whether the timestamp lies in the range. */
export function isWithin(at: string, { from, to }: TimeRange): boolean {
  return (from === undefined || at >= from) && (to === undefined || at <= to);
}
