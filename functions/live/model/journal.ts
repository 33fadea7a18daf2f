import { decodeTime } from 'ulid';
import { eventRanges, lowestIdAt, settledBefore } from '../../../shared/events/event-log.ts';
import { replayHours, type StoredEvent, toFrame } from '../../../shared/events/outbox.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { after, hour, minute, periodEnd } from '../../../shared/kernel/time.ts';
import type { TableReader } from '../../../shared/table/table.ts';
import { eventFor, type Subscriber, type VisibleEvent } from './audience.ts';
import { readEventsIn } from './replay.ts';

/** Where a page ends at the latest: trips to the table, events that were read before the last trip, and bytes of frames. */
const limits = { trips: 24, read: 1_000, bytes: 4 * 1024 * 1024 };

/** For this long after the 72 hours a place is still taken, so that the one which a refusal names can be used. */
const grace = minute;

const eventId = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** A page of the journal. A place in the journal is an id, of an event or of none: all that happened by then is before it. */
export interface JournalPage {
  /** The events as frames, oldest first. */
  readonly frames: readonly string[];
  /** The place after the page. */
  readonly nextAfter: string;
  readonly hasMore: boolean;
}

/** What a page is to show. */
export interface JournalQuery {
  /** The place after which it begins. */
  readonly after: string;
  readonly limit: number;
  /** The names of the events that it shows; undefined for all. */
  readonly names: readonly string[] | undefined;
}

/** The place where a reader begins who knows nothing yet: what has an id before it is complete. */
export const journalEnd = (now: Date): string => lowestIdAt(settledBefore(now));

/** The place that a client has sent. @throws a 410 `Failure` for what is none, or lies before what is kept. */
export function requirePlace(place: string, now: Date): string {
  if (!eventId.test(place)) {
    throw resyncRequired('after must be the id of an event, or a nextAfter.', now);
  }
  requireKept(new Date(decodeTime(place)), now, 'after');
  return place;
}

/** The place before all that happened since a time; for a time in the future, now. @throws a 410 `Failure` for one before what is kept. */
export function placeAt(since: Date, now: Date): string {
  requireKept(since, now, 'since');
  return lowestIdAt(since < now ? since : now);
}

function requireKept(time: Date, now: Date, parameter: string): void {
  if (time < after(oldestKept(now), -grace)) {
    throw resyncRequired(`${parameter} is more than ${replayHours} hours ago.`, now);
  }
  if (parameter === 'after' && time > after(now, grace)) {
    throw resyncRequired('after is in the future.', now);
  }
}

const oldestKept = (now: Date) => after(now, -replayHours * hour);

/** The 410 for a place from which nothing can be read. */
export function resyncRequired(reason: string, now: Date): Failure {
  const nextAfter = lowestIdAt(oldestKept(now));
  return new Failure('RESYNC_REQUIRED', `${reason} Reload everything, then go on after nextAfter.`, {
    details: { code: 'RESYNC_REQUIRED', nextAfter },
  });
}

/**
 * The events after a place that the subscriber may see, oldest first. It shows none before all with smaller ids are certain to be in the
 * log. A page takes a bounded number of reads, so it may have fewer events than asked for although there are more.
 */
export async function readJournal(
  table: TableReader,
  subscriber: Subscriber,
  { after: start, limit, names }: JournalQuery,
  now: Date,
): Promise<JournalPage> {
  const settled = settledBefore(now);
  const frames: string[] = [];
  let [place, read, bytes] = [start, 0, 0];
  for (let trips = 0; trips < limits.trips && read < limits.read; trips += 1) {
    const time = new Date(decodeTime(place));
    if (time >= settled) {
      break;
    }
    const [range] = eventRanges(time, now, settled, place);
    if (range === undefined) {
      break;
    }
    // The event at the place is read again, and one too many shows that there are more.
    const wanted = limit - frames.length + 2;
    const before = read;
    for await (const events of readEventsIn([range], table, { limit: wanted, consistent: true })) {
      read += events.length;
      for (const event of events.filter(({ id }) => id > place)) {
        const frame = frameFor(subscriber, event, names);
        if (frame !== undefined) {
          bytes += Buffer.byteLength(frame);
          if (frames.length === limit || bytes > limits.bytes) {
            return { frames, nextAfter: place, hasMore: true };
          }
          frames.push(frame);
        }
        place = event.id;
      }
    }
    if (read - before < wanted) {
      place = lowestIdAt(new Date(Math.min(periodEnd(time, hour).getTime(), settled.getTime())));
    }
  }
  return { frames, nextAfter: place, hasMore: decodeTime(place) < settled.getTime() };
}

/** The event as the subscriber gets it; undefined for one that the page does not show. */
function frameFor(
  subscriber: Subscriber,
  event: StoredEvent,
  names: JournalQuery['names'],
): string | undefined {
  const shown: VisibleEvent | undefined = eventFor(subscriber, event);
  return shown === undefined || names?.includes(shown.event) === false ? undefined : toFrame(shown);
}
