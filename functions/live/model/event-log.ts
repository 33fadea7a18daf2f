import { decodeTime, encodeTime, isValid } from 'ulid';
import { invocationLimits } from '../../../shared/kernel/invocation-limits.ts';
import type { StoredEvent } from '../../../shared/live/event.ts';
import { eventKey } from '../../../shared/live/event.ts';
import { joined, type Range } from '../../../shared/table/key.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import { after, hourOf, hoursBetween } from '../../../shared/time.ts';

/**
 * An event's id is made when a call begins, and the event appears when the call's transaction commits. Until a call can
 * take no longer, an event may therefore still appear after one with a higher id. Only HTTP operations and what runs by
 * the clock make events.
 */
export const longestCall = Math.max(invocationLimits.http, invocationLimits.schedule);

/** Recent events that a new connection remembers at most. */
const mostRecent = 100;

const ulidLength = 26;
const highestId = 'Z'.repeat(ulidLength);

/** Where the events since a time lie, oldest first. */
export function eventRanges(since: Date, now: Date): Range<StoredEvent>[] {
  const lowestId = encodeTime(since.getTime()).padEnd(ulidLength, '0');
  return hoursBetween(since, now).map((hour) => {
    const { partition, sort } = eventKey(hour, lowestId);
    return { partition, between: { from: joined(sort), to: joined(eventKey(hour, highestId).sort) } };
  });
}

/** The event of an id; undefined when there is none, or it is none from this time on. */
export async function eventOf(
  id: unknown,
  notBefore: Date,
  table: TableReader,
): Promise<StoredEvent | undefined> {
  if (typeof id !== 'string' || !isValid(id) || decodeTime(id) < notBefore.getTime()) {
    return undefined;
  }
  const stored = await table.read(eventKey(hourOf(new Date(decodeTime(id))), id));
  return stored?.data;
}

/** The newest events that have appeared, of those that the table's stream may still be about to tell of. */
export async function recentEventIds(table: TableReader, now: Date): Promise<string[]> {
  const perHour = await Promise.all(
    eventRanges(after(now, -longestCall), now).map((range) =>
      table.list(range, { descending: true, limit: mostRecent }),
    ),
  );
  return perHour.flat().map(({ data }) => data.id);
}
