/** The contract's only form of a time: ISO 8601, UTC, milliseconds, `Z`. Source: decisions 1, "Timestamps". */
export type Timestamp = string;

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

export function timestamp(date: Date): Timestamp {
  return date.toISOString();
}

export function after(date: Date, milliseconds: number): Date {
  return new Date(date.getTime() + milliseconds);
}

/** Whole seconds since the epoch, for tokens and the expiry of items. */
export function epochSeconds(date: Date): number {
  return Math.floor(date.getTime() / second);
}

/** `2026-11-20`: the day in UTC. */
export function utcDay(date: Date): string {
  return timestamp(date).slice(0, 10);
}

/** When the period around a date ends, of those of this many milliseconds since 1970: an `hour`, or a `day` in UTC. */
export function periodEnd(date: Date, milliseconds: number): Date {
  return new Date(Math.floor(date.getTime() / milliseconds + 1) * milliseconds);
}

/** `2026-11-20T18`: the hour in UTC. */
export function utcHour(date: Date): string {
  return timestamp(date).slice(0, 13);
}

/** The hours from that of one date to that of another, both included; none if the first is later. */
export function hoursBetween(from: Date, to: Date): string[] {
  const start = Math.floor(from.getTime() / hour);
  const end = Math.floor(to.getTime() / hour);
  return Array.from({ length: end - start + 1 }, (_, index) => utcHour(new Date((start + index) * hour)));
}

/** The last of these times. */
export const latest = (...times: readonly Timestamp[]): Timestamp => times.toSorted().at(-1) ?? '';
