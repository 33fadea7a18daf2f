import { decodeTime, encodeTime, isValid } from 'ulid';
import { invocationLimits } from '../kernel/serve/invocation-limits.ts';
import { after, hoursBetween, second } from '../kernel/time.ts';
import { joined, type Range } from '../table/key.ts';
import type { TableReader } from '../table/table.ts';
import type { StoredEvent } from './outbox.ts';
import { eventKey, eventKeyFor } from './outbox.ts';

/** The kinds of operations that write events: steps of workflows do so from a queue, and a reader of the stream delivers what waited. */
const writers = [
  'http',
  'schedule',
  'deferred',
  'queue',
  'stream',
] as const satisfies (keyof typeof invocationLimits)[];

/**
 * The longest time between an event's id and the event, in milliseconds. The id is created when an invocation begins, the event
 * when its transaction commits: so for this long an event may still appear after one with a higher id.
 */
export const longestCall = Math.max(...writers.map((kind) => invocationLimits[kind]));

/** Recent events that a new connection remembers. */
const maxRecent = 50;

const ulidLength = 26;
const highestCharacter = 'Z';
const highestId = highestCharacter.repeat(ulidLength);

/** Clocks of functions differ by less, and a read that is not strongly consistent sees what was written longer ago. */
const overlap = second;

/** Milliseconds after which no event with an earlier id can appear any more. */
export const settlingTime = longestCall + overlap;

/** Until when all events are in the log, and any read finds them: whatever an event's call took, it ended a second before `now`. */
export function settledBefore(now: Date): Date {
  return after(now, -settlingTime);
}

/** The lowest id that an event of this time can have. */
export function lowestIdAt(time: Date): string {
  return encodeTime(time.getTime()).padEnd(ulidLength, '0');
}

/** Whether it is unclear from its time alone if an event was in the log at this time. */
export function isAbout({ at }: StoredEvent, time: Date): boolean {
  const happened = new Date(at);
  return settledBefore(time) <= happened && happened <= after(time, overlap);
}

/**
 * The ranges that hold the events since a time (or an id of that time) and before another one, if there is one; oldest first. Without
 * one, also those of processes whose clocks are ahead: at the end of an hour, they have written some of the next.
 */
export function eventRanges(
  since: Date,
  now: Date,
  before?: Date,
  lowestId = lowestIdAt(since),
): Range<StoredEvent>[] {
  const to =
    before === undefined ? highestId : encodeTime(before.getTime() - 1).padEnd(ulidLength, highestCharacter);
  return hoursBetween(since, before ?? after(now, overlap)).map((hour) => {
    const { partition, sort } = eventKey(hour, lowestId);
    return { partition, between: { from: joined(sort), to: joined(eventKey(hour, to).sort) } };
  });
}

/** The event with an id; undefined if there is none, or if it is older than `notBefore`. */
export async function findEvent(
  id: unknown,
  notBefore: Date,
  table: TableReader,
): Promise<StoredEvent | undefined> {
  if (typeof id !== 'string' || !isValid(id) || decodeTime(id) < notBefore.getTime()) {
    return undefined;
  }
  const stored = await table.read(eventKeyFor(id));
  return stored?.data;
}

/**
 * The ids of the newest events that the table's stream may not have delivered yet. The read is not strongly consistent, because
 * everybody who connects again after an outage makes it: an event of the last second that it misses is delivered, and repeated by
 * `resume`.
 */
export async function readRecentEventIds(table: TableReader, now: Date): Promise<string[]> {
  const perHour = await Promise.all(
    eventRanges(after(now, -longestCall), now).map((range) =>
      table.list(range, { descending: true, limit: maxRecent, consistent: false }),
    ),
  );
  return perHour.flat().map(({ data }) => data.id);
}
