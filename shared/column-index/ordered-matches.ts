import type { StageMatches } from './search-index.ts';

/** Where a contact stands in an order by time: at equal times, ids decide. */
export interface TimePlace {
  /** In milliseconds since 1970. */
  readonly time: number;
  readonly id: string;
}

/** An order by time, and the part of it that is wanted. */
export interface TimeOrder {
  readonly by: 'createdAt' | 'updatedAt';
  readonly descending: boolean;
  /** Only what follows this place. */
  readonly after: TimePlace | undefined;
  /** Only what is earlier than this. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** Negative if the first comes before the second. */
export function comparePlaces(one: TimePlace, other: TimePlace, descending: boolean): number {
  const order = one.time - other.time || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
  return descending ? -order : order;
}

/** The first places of these matches in the order, at most `limit`. It keeps no more of them, however many there are. */
export function firstPlaces(matches: readonly StageMatches[], order: TimeOrder): TimePlace[] {
  const { by, descending, after, before = Number.POSITIVE_INFINITY, limit } = order;
  const first: TimePlace[] = [];
  const add = (time: number, idOf: () => string) => {
    const isPast = after !== undefined && (descending ? time > after.time : time < after.time);
    const last = first.length < limit ? undefined : first.at(-1);
    const isLate = last !== undefined && (descending ? time < last.time : time > last.time);
    if (isPast || isLate || time >= before) {
      return;
    }
    const place = { time, id: idOf() };
    if (after !== undefined && comparePlaces(place, after, descending) <= 0) {
      return;
    }
    const at = first.findLastIndex((known) => comparePlaces(known, place, descending) < 0) + 1;
    first.splice(at, 0, place);
    first.splice(limit);
  };
  for (const { rows, changed } of matches) {
    for (const [block, found] of rows) {
      const times = by === 'createdAt' ? block.keys.times : block.updateTimes();
      for (const row of found) {
        add(times[row] as number, () => block.keys.id(row));
      }
    }
    for (const contact of changed) {
      add(Date.parse(contact[by]), () => contact._id);
    }
  }
  return first;
}
