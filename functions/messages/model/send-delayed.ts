import { queuedMessageKey } from '../../../shared/messages/queued-message.ts';
import type { DelayedMessage } from './delayed-message.ts';
import { record } from './send-queued.ts';
import { type SendingSeveral, sendWaiting } from './send-waiting.ts';

/**
 * Sends a message that was put off, with all those to its contact that wait, in order. Does nothing if somebody else has, or if the
 * message is overdue or deleted.
 * @throws when it, or the first that is left, cannot be sent now; `NotRecorded` when it must not be sent again.
 */
export async function sendDelayed(
  { contactId, messageId, outcome }: DelayedMessage,
  sending: SendingSeveral,
): Promise<void> {
  const { table } = sending;
  const own = await table.read(queuedMessageKey(contactId, messageId));
  if (own === undefined) {
    return;
  }
  return outcome === undefined
    ? sendWaiting({ contactId, messageId }, sending)
    : record(own.data, outcome, sending);
}
