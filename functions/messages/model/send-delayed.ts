import { after } from '../../../shared/kernel/time.ts';
import { queuedMessageKey, queuedMessageRange } from '../../../shared/messages/queued-message.ts';
import type { DelayedMessage } from './delayed-message.ts';
import { record, type Sending, sendQueued } from './send-queued.ts';
import { turnAt } from './sending-batch.ts';

/**
 * Sends a message that was put off, with all those to its contact that wait, in order. Does nothing if somebody else has, or if the
 * message is overdue or deleted.
 * @throws when the first of them that is left cannot be sent now; `NotRecorded` when it must not be sent again.
 */
export async function sendDelayed(
  { contactId, messageId, outcome }: DelayedMessage,
  sending: Omit<Sending, 'timeout'>,
): Promise<void> {
  const start = performance.now();
  const { table, now } = sending;
  const own = await table.read(queuedMessageKey(contactId, messageId));
  if (own === undefined) {
    return;
  }
  if (outcome !== undefined) {
    return record(own.data, outcome, sending);
  }
  for (const { data: queued } of await table.list(queuedMessageRange(contactId))) {
    const { late, left } = turnAt(start);
    await sendQueued(queued, { ...sending, now: after(now, late), timeout: left });
  }
}
