import type { StoredEvent } from '../../../shared/live/event.ts';
import { replayHours } from '../../../shared/live/outbox.ts';
import { unpacked } from '../../../shared/packing.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import { after, hour } from '../../../shared/time.ts';
import { type Shown, type Subscriber, shownTo } from './audience.ts';
import { eventOf, eventRanges, longestCall } from './event-log.ts';

/** Above either of these a client is better served by reading everything anew. */
const limits = { missed: 500, read: 20_000 };

/** The event of this id, when everything since can be replayed; undefined when it is too old, or no event at all. */
export function replayStart(id: unknown, table: TableReader, now: Date): Promise<StoredEvent | undefined> {
  return eventOf(id, after(now, -replayHours * hour), table);
}

/**
 * What the subscriber missed since the last event received, oldest first. At least once: what happened within seconds before
 * that event comes again, since it may have appeared after it. Ends with `too much` in place of more than can sensibly be
 * replayed.
 */
export async function* missedSince(
  last: StoredEvent,
  subscriber: Subscriber,
  table: TableReader,
  now: Date,
): AsyncGenerator<Shown | 'too much'> {
  let [read, missed] = [0, 0];
  for await (const events of eventsFrom(after(new Date(last.at), -longestCall), table, now)) {
    read += events.length;
    for (const event of events) {
      const shown = event.id === last.id ? undefined : shownTo(subscriber, event);
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
 * The organization's events, oldest first, in batches as they are read. Strongly consistent: whatever appears later is
 * delivered to the connections that are open by now.
 */
async function* eventsFrom(start: Date, table: TableReader, now: Date): AsyncGenerator<StoredEvent[]> {
  for (const range of eventRanges(start, now)) {
    for await (const rows of table.rows(range, { consistent: true })) {
      yield rows.map(({ data = '' }) => unpacked<StoredEvent>(data));
    }
  }
}
