import { day } from '../../../../shared/kernel/time.ts';
import { timeZone } from '../../../../shared/organizations/local-time.ts';

/** From the first to the last of some instants, in milliseconds since the epoch. */
export interface Instants {
  readonly first: number;
  readonly last: number;
}

const form = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/i;

/**
 * What a text in ISO 8601 means: `2026-11-22T09:00:00Z` one instant, `2026-11-22T09:00` the instant at which clocks of the zone show it,
 * `2026-11-22` the whole day there. Undefined for anything else.
 */
export function instantsOf(value: unknown, zone: string): Instants | undefined {
  const [, date, time, offset] = (typeof value === 'string' ? form.exec(value.trim()) : null) ?? [];
  if (date === undefined) {
    return undefined;
  }
  const local = Date.parse(`${date}T${time ?? '00:00'}Z`);
  if (Number.isNaN(local) || new Date(Date.parse(`${date}T00:00Z`)).toISOString().slice(0, 10) !== date) {
    return undefined;
  }
  if (time !== undefined) {
    const instant =
      offset === undefined
        ? timeZone(zone).instantOf(local)
        : Date.parse(`${date}T${time}${offset.toUpperCase()}`);
    return Number.isNaN(instant) ? undefined : { first: instant, last: instant };
  }
  const { instantOf } = timeZone(zone);
  return { first: instantOf(local), last: instantOf(local + day) - 1 };
}
