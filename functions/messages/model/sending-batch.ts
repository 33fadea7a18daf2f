import { forEachConcurrently } from '../../../shared/kernel/for-each-concurrently.ts';
import { invocationLimits } from '../../../shared/kernel/invocation-limits.ts';
import { lease } from './lease.ts';

/** Contacts served at the same time. */
const width = 25;

/** Milliseconds of a run after which it leases no more messages, so that the platform never ends it while it has one. */
const leasedWithin = Math.min(invocationLimits.stream, invocationLimits.queue) - lease;

/** When a message is handled, in milliseconds. */
export interface Turn {
  /** Since the start of the batch. */
  readonly late: number;
  /** Until the message must be leased. */
  readonly left: number;
}

/** A message of a batch, with its recipient. */
export interface Waiting {
  readonly contact: string;
  send(turn: Turn): Promise<void>;
  /** Puts it off, because it or one before it could not be sent. */
  delay(reason: unknown): Promise<void>;
}

/** Messages that a batch put off, and why. */
export interface PutOff {
  readonly delayed: number;
  /** Of the first that could not be sent; undefined if all were sent. */
  readonly reason: unknown;
}

/**
 * Sends every message of a batch. A contact gets its messages one after the other; after one that cannot be sent, the others of this
 * contact are put off with it, so that they arrive in order. Contacts do not wait for each other.
 * @throws when a message could be neither sent nor put off; all others have been.
 */
export async function sendBatch(batch: readonly Waiting[]): Promise<PutOff> {
  const start = performance.now();
  const reasons: unknown[] = [];
  let delayed = 0;
  const ofContact = async (messages: readonly Waiting[]) => {
    for (const [index, { send }] of messages.entries()) {
      try {
        await send(turnAt(start));
      } catch (reason) {
        reasons.push(reason);
        const left = messages.slice(index);
        await Promise.all(left.map((one) => one.delay(reason)));
        delayed += left.length;
        return;
      }
    }
  };
  const [lost] = await forEachConcurrently(
    Map.groupBy(batch, ({ contact }) => contact).values(),
    width,
    ofContact,
  );
  if (lost !== undefined) {
    throw new Error('Messages could be neither sent nor put off', { cause: lost });
  }
  return { delayed, reason: reasons[0] };
}

/** The turn of a message in a run that began then, by `performance.now`. @throws when the time of the run is over. */
export function turnAt(start: number): Turn {
  const late = performance.now() - start;
  const left = leasedWithin - late;
  if (left < 0) {
    throw new Error('The time of this run is over');
  }
  return { late, left };
}
