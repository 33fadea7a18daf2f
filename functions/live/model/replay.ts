import { decodeTime } from 'ulid';
import { eventRanges, findEvent, longestCall, settledBefore } from '../../../shared/events/event-log.ts';
import type { StoredEvent } from '../../../shared/events/outbox.ts';
import { replayHours } from '../../../shared/events/outbox.ts';
import { unpacked } from '../../../shared/kernel/packing.ts';
import { after, hour } from '../../../shared/kernel/time.ts';
import type { Range } from '../../../shared/table/key.ts';
import type { QueryOptions, TableReader } from '../../../shared/table/table.ts';
import { eventFor, type Subscriber, type VisibleEvent } from './audience.ts';

/** Beyond either of these, a client does better to load everything again. */
const limits = { missed: 5_000, read: 50_000 };

/** How far a replay has come. */
export interface Progress {
  /** The id of the last event that was looked at; `''` at the beginning. */
  readonly reached: string;
  readonly read: number;
  /** How many of these events the subscriber had missed. */
  readonly missed: number;
}

export const beginning: Progress = { reached: '', read: 0, missed: 0 };

/** An event that the subscriber missed, and how far the replay has come with it. */
export interface MissedEvent {
  readonly event: VisibleEvent;
  readonly progress: Progress;
}

/** The event with this id if everything since can be replayed; undefined if it is too old or does not exist. */
export function replayStart(id: unknown, table: TableReader, now: Date): Promise<StoredEvent | undefined> {
  return findEvent(id, after(now, -replayHours * hour), table);
}

/**
 * The events that the subscriber missed since the last one received, oldest first, at least once: events from the seconds before
 * that one are repeated, because they may have appeared after it. Ends with `too much` beyond the limits. A replay that goes on from some
 * progress repeats nothing: what has appeared since behind that point happened after the connection was opened, so it is delivered.
 */
export async function* readMissedSince(
  last: StoredEvent,
  subscriber: Subscriber,
  table: TableReader,
  now: Date,
  from: Progress = beginning,
): AsyncGenerator<MissedEvent | 'too much'> {
  let { read, missed } = from;
  const { reached } = from;
  const start = reached === '' ? after(new Date(last.at), -longestCall) : new Date(decodeTime(reached));
  for await (const events of eventsFrom(start, table, now)) {
    for (const event of events.filter(({ id }) => id > reached)) {
      read += 1;
      const shown = event.id === last.id || event.isQuiet ? undefined : eventFor(subscriber, event);
      missed += shown !== undefined && event.id > last.id ? 1 : 0;
      if (missed > limits.missed || read > limits.read) {
        return yield 'too much';
      }
      if (shown !== undefined) {
        yield { event: shown, progress: { reached: event.id, read, missed } };
      }
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
  yield* readEventsIn(older, table, { consistent: false });
  yield* readEventsIn(eventRanges(newest, now), table, { consistent: true });
}

/** The events of these ranges, in batches of up to 1 MB. */
export async function* readEventsIn(
  ranges: readonly Range<StoredEvent>[],
  table: TableReader,
  options: Pick<QueryOptions, 'consistent' | 'limit'>,
): AsyncGenerator<StoredEvent[]> {
  for (const range of ranges) {
    for await (const rows of table.rows(range, options)) {
      yield rows.map(({ data = '' }) => unpacked<StoredEvent>(data));
    }
  }
}
