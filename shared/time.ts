/** Time, in the one form the contract knows: ISO 8601, UTC, milliseconds, `Z`. Source: decisions 1, "Timestamps". */
export type Timestamp = string;

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

export function timestamp(date: Date): Timestamp {
  return date.toISOString();
}

/** The moment `milliseconds` after (before, when negative) `date`. */
export function after(date: Date, milliseconds: number): Date {
  return new Date(date.getTime() + milliseconds);
}

/** Whole seconds since the epoch, as tokens and the expiry of items state time. */
export function epochSeconds(date: Date): number {
  return Math.floor(date.getTime() / second);
}

/** `2026-11-20T18`: the hour, in UTC, in which events are filed together. */
export function hourOf(date: Date): string {
  return timestamp(date).slice(0, 13);
}
