import { decodeTime, encodeTime, isValid } from 'ulid';
import { joined } from '../table/key.ts';
import { keys } from '../table/keys.ts';
import { unpacked } from '../table/packing.ts';
import type { TableReader } from '../table/table.ts';
import { after, hour, hourOf, second } from '../time.ts';
import { type Shown, shownTo, type Watcher } from './audience.ts';
import type { StoredEvent } from './event.ts';
import { replayHours } from './outbox.ts';

/**
 * An event's id is made before its transaction commits, so that an event can appear a little after one with a higher id.
 * A replay therefore begins this long before the last event that a client got: as long as a call may take.
 */
const slack = 10 * second;

/** Above either of these a client is better served by reading everything anew. */
const limits = { missed: 500, read: 20_000 };

const ulidLength = 26;

/** The event of this id, when everything since can be replayed; undefined when it is too old, or no event at all. */
export async function replayStart(
  table: TableReader,
  id: unknown,
  now: Date,
): Promise<StoredEvent | undefined> {
  if (typeof id !== 'string' || !isValid(id)) {
    return undefined;
  }
  const at = new Date(decodeTime(id));
  return at < after(now, -replayHours * hour)
    ? undefined
    : (await table.read(keys.event(hourOf(at), id)))?.data;
}

/**
 * What the watcher missed since the last event received, oldest first. At least once: what happened within seconds before
 * that event comes again. Ends with `too much` in place of more than can sensibly be replayed.
 */
export async function* missedSince(
  last: StoredEvent,
  watcher: Watcher,
  table: TableReader,
  now: Date,
): AsyncGenerator<Shown | 'too much'> {
  let [read, missed] = [0, 0];
  for await (const events of eventsFrom(after(new Date(last.at), -slack), table, now)) {
    read += events.length;
    for (const event of events) {
      const shown = event.id === last.id ? undefined : shownTo(watcher, event);
      missed += shown !== undefined && event.id > last.id ? 1 : 0;
      if (missed > limits.missed) {
        return yield 'too much';
      }
      if (shown !== undefined) {
        yield shown;
      }
    }
    if (read > limits.read) {
      return yield 'too much';
    }
  }
}

/**
 * The organization's events, oldest first, in batches as they are read. Strongly consistent: whatever commits later is
 * delivered to the connections that are open by now.
 */
async function* eventsFrom(start: Date, table: TableReader, now: Date): AsyncGenerator<StoredEvent[]> {
  const lowestId = encodeTime(start.getTime()).padEnd(ulidLength, '0');
  const highestId = 'Z'.repeat(ulidLength);
  for (const filedIn of hoursBetween(start, now)) {
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
