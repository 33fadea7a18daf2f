import { unpacked } from '../../../shared/kernel/packing.ts';
import { after, hour } from '../../../shared/kernel/time.ts';
import type { StoredEvent } from '../../../shared/live/outbox.ts';
import { replayHours } from '../../../shared/live/outbox.ts';
import type { Range } from '../../../shared/table/key.ts';
import type { QueryOptions, TableReader } from '../../../shared/table/table.ts';
import { eventFor, type Subscriber, type VisibleEvent } from './audience.ts';
import { eventOf, eventRanges, longestCall, settledBefore } from './event-log.ts';

/** Beyond either of these, a client does better to load everything again. */
const limits = { missed: 500, read: 20_000 };

/** The event with this id if everything since can be replayed; undefined if it is too old or does not exist. */
export function replayStart(id: unknown, table: TableReader, now: Date): Promise<StoredEvent | undefined> {
  return eventOf(id, after(now, -replayHours * hour), table);
}

/**
 * The events that the subscriber missed since the last one received, oldest first, at least once: events from the seconds before
 * that one are repeated, because they may have appeared after it. Ends with `too much` beyond the limits.
 */
export async function* missedSince(
  last: StoredEvent,
  subscriber: Subscriber,
  table: TableReader,
  now: Date,
): AsyncGenerator<VisibleEvent | 'too much'> {
  let [read, missed] = [0, 0];
  for await (const events of eventsFrom(after(new Date(last.at), -longestCall), table, now)) {
    read += events.length;
    for (const event of events) {
      const shown = event.id === last.id ? undefined : eventFor(subscriber, event);
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
 * The organization's events, oldest first, in batches. The newest are read strongly consistently, and the stream delivers later
 * events to open connections.
 */
async function* eventsFrom(start: Date, table: TableReader, now: Date): AsyncGenerator<StoredEvent[]> {
  const settled = settledBefore(now);
  const [newest, older] = start < settled ? [settled, eventRanges(start, now, settled)] : [start, []];
  yield* eventsIn(older, table, { consistent: false });
  yield* eventsIn(eventRanges(newest, now), table, { consistent: true });
}

async function* eventsIn(
  ranges: readonly Range<StoredEvent>[],
  table: TableReader,
  options: Pick<QueryOptions, 'consistent'>,
): AsyncGenerator<StoredEvent[]> {
  for (const range of ranges) {
    for await (const rows of table.rows(range, options)) {
      yield rows.map(({ data = '' }) => unpacked<StoredEvent>(data));
    }
  }
}
