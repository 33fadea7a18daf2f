import { decodeTime, encodeTime, isValid } from 'ulid';
import { joined } from '../table/key.ts';
import { keys } from '../table/keys.ts';
import { unpacked } from '../table/packing.ts';
import type { TableReader } from '../table/table.ts';
import { after, hour, hourOf, second } from '../time.ts';
import type { StoredEvent } from './event.ts';
import { replayHours } from './outbox.ts';

/**
 * An event's id is made before its transaction commits, so that an event can appear a little after one with a higher id;
 * nor do all clocks agree. A replay therefore begins this long before the last event that a client got.
 */
const slack = 5 * second;

const ulidLength = 26;

/** When the event of an id happened, should there be one; undefined for what is no id, or too old to be replayed. */
export function replayableTime(id: unknown, now: Date): Date | undefined {
  if (typeof id !== 'string' || !isValid(id)) {
    return undefined;
  }
  const at = new Date(decodeTime(id));
  return at > after(now, -replayHours * hour) ? at : undefined;
}

/** The key of an event that happened at this time. */
export function eventKey(id: string, at: Date) {
  return keys.event(hourOf(at), id);
}

/**
 * The organization's events from a little before `at` until now, oldest first, in batches as they are read: strongly
 * consistent, so that whatever comes later is delivered to a connection that was open by then.
 */
export async function* eventsSince(table: TableReader, at: Date, now: Date): AsyncGenerator<StoredEvent[]> {
  const first = after(at, -slack);
  const lowestId = encodeTime(first.getTime()).padEnd(ulidLength, '0');
  const highestId = 'Z'.repeat(ulidLength);
  for (const filedIn of hoursBetween(first, after(now, slack))) {
    const { partition, sort } = keys.event(filedIn, lowestId);
    const between = { from: joined(sort), to: joined(keys.event(filedIn, highestId).sort) };
    for await (const rows of table.rows({ partition, between }, { consistent: true })) {
      yield rows.map(({ data = '' }) => unpacked<StoredEvent>(data));
    }
  }
}

function hoursBetween(from: Date, to: Date): string[] {
  const start = Math.floor(from.getTime() / hour);
  const end = Math.floor(to.getTime() / hour);
  return Array.from({ length: end - start + 1 }, (_, index) => hourOf(new Date((start + index) * hour)));
}
