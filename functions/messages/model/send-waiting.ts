import { after } from '../../../shared/kernel/time.ts';
import { queuedMessageKey, queuedMessageRange } from '../../../shared/messages/queued-message.ts';
import { leftToLease } from './lease.ts';
import type { PostponedText } from './postponed-text.ts';
import { mayBePassed, NotRecorded, record, type Sending, sendQueued } from './send-queued.ts';

/** Messages in a row that cannot be sent; after them the provider is taken to be down. */
const enough = 2;

/**
 * Sends a message with all those to its contact that wait, in order. One that cannot be sent holds up those after it, but only for an hour:
 * then they pass it, so that a message that always fails does not keep a contact from all others. While the provider takes nothing, it is
 * asked for three of them at most. Does nothing if somebody else has sent this one, or if it is overdue or deleted.
 * @throws when this one, or one that holds up others, cannot be sent now; `NotRecorded` when one must not be sent again.
 */
export async function sendWaiting(
  { contactId, messageId: own, answered }: Pick<PostponedText, 'contactId' | 'messageId' | 'answered'>,
  sending: Omit<Sending, 'holder' | 'timeout'>,
): Promise<void> {
  const start = performance.now();
  const { table, now } = sending;
  if (answered !== undefined) {
    const unrecorded = await table.read(queuedMessageKey(contactId, answered.messageId));
    await (unrecorded && record(unrecorded.data, answered.outcome, sending));
  }
  const waiting = (await table.list(queuedMessageRange(contactId))).map(({ data }) => data);
  if (!waiting.some(({ messageId }) => messageId === own)) {
    return;
  }
  let failedInRow = 0;
  let reason: unknown;
  for (const queued of waiting) {
    const isOwn = queued.messageId === own;
    if (failedInRow >= enough && !isOwn) {
      continue;
    }
    const late = performance.now() - start;
    const timeout = leftToLease(late);
    try {
      await sendQueued(queued, { ...sending, holder: own, now: after(now, late), timeout });
      failedInRow = 0;
    } catch (error) {
      if (error instanceof NotRecorded || !mayBePassed(queued, now)) {
        throw error;
      }
      failedInRow += 1;
      reason = isOwn ? error : reason;
    }
  }
  if (reason !== undefined) {
    throw reason;
  }
}
