import { after } from '../../../shared/kernel/time.ts';
import { queuedMessageKey, queuedMessageRange } from '../../../shared/messages/queued-message.ts';
import { leftToLease } from './lease-time.ts';
import { mayBePassed, NotRecorded, record, type Sending, sendQueued } from './send-queued.ts';
import type { TextJob } from './text-job.ts';

/** After this many messages in a row that cannot be sent, the provider is assumed to be down. */
const failuresOfOutage = 2;

/**
 * Sends a message together with all others that wait for its contact, in order. A message that cannot be sent holds up those after it for
 * an hour at most; then they pass it, so that a message that always fails does not block the rest. While the provider is down, at most
 * three of them are tried. Does nothing if another run has sent this message, or if it is overdue or deleted.
 * @throws when this one, or one that holds up others, cannot be sent now; `NotRecorded` when one must not be sent again.
 */
export async function sendWaiting(
  { contactId, messageId: jobMessageId, answered }: Pick<TextJob, 'contactId' | 'messageId' | 'answered'>,
  sending: Omit<Sending, 'holder' | 'timeout'>,
): Promise<void> {
  const start = performance.now();
  const { table, now } = sending;
  if (answered !== undefined) {
    const unrecorded = await table.read(queuedMessageKey(answered.messageId));
    await (unrecorded && record(unrecorded.data, answered.outcome, sending));
  }
  const waiting = (await table.list(queuedMessageRange(contactId))).map(({ data }) => data);
  if (!waiting.some(({ messageId }) => messageId === jobMessageId)) {
    return;
  }
  let failedInRow = 0;
  let reason: unknown;
  for (const queued of waiting) {
    const isOwn = queued.messageId === jobMessageId;
    if (failedInRow >= failuresOfOutage && !isOwn) {
      continue;
    }
    const late = performance.now() - start;
    const timeout = leftToLease(late);
    try {
      await sendQueued(queued, { ...sending, holder: jobMessageId, now: after(now, late), timeout });
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
