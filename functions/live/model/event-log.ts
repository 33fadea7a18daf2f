import { decodeTime, encodeTime, isValid } from 'ulid';
import { invocationLimits } from '../../../shared/kernel/invocation-limits.ts';
import { after, hourOf, hoursBetween } from '../../../shared/kernel/time.ts';
import type { StoredEvent } from '../../../shared/live/outbox.ts';
import { eventKey } from '../../../shared/live/outbox.ts';
import { joined, type Range } from '../../../shared/table/key.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/**
 * The longest time between an event's id and the event, in milliseconds. The id is created when an invocation begins, the event
 * when its transaction commits: so for this long an event may still appear after one with a higher id. Only HTTP operations and
 * schedules write events.
 */
export const longestCall = Math.max(invocationLimits.http, invocationLimits.schedule);

/** Recent events that a new connection remembers. */
const mostRecent = 100;

const ulidLength = 26;
const highestId = 'Z'.repeat(ulidLength);

/** The ranges that hold the events since a time, oldest first. */
export function eventRanges(since: Date, now: Date): Range<StoredEvent>[] {
  const lowestId = encodeTime(since.getTime()).padEnd(ulidLength, '0');
  return hoursBetween(since, now).map((hour) => {
    const { partition, sort } = eventKey(hour, lowestId);
    return { partition, between: { from: joined(sort), to: joined(eventKey(hour, highestId).sort) } };
  });
}

/** The event with an id; undefined if there is none, or if it is older than `notBefore`. */
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

/** The newest events that the table's stream may not have delivered yet. */
export async function recentEventIds(table: TableReader, now: Date): Promise<string[]> {
  const perHour = await Promise.all(
    eventRanges(after(now, -longestCall), now).map((range) =>
      table.list(range, { descending: true, limit: mostRecent }),
    ),
  );
  return perHour.flat().map(({ data }) => data.id);
}
