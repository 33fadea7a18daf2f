import { after } from '../../../shared/kernel/time.ts';
import { type QueuedMessage, queuedMessageRange } from '../../../shared/messages/queued-message.ts';
import { EarlierWaits, holdsNoLonger, type Sending, sendQueued } from './send-queued.ts';
import { turnAt } from './sending-batch.ts';

/** Messages in a row that cannot be sent; after them the provider is taken to be down. */
const enough = 2;

/** What the sending of several messages needs; each has a time of its own. */
export type SendingSeveral = Omit<Sending, 'timeout'>;

/**
 * Sends a message, after those to its contact that have waited so long that it may pass them: they are tried once more.
 * @throws when it cannot be sent now; `NotRecorded` when it must not be sent again.
 */
export async function sendInTurn(queued: QueuedMessage, sending: Sending): Promise<void> {
  try {
    await sendQueued(queued, sending);
  } catch (error) {
    if (!(error instanceof EarlierWaits && error.isPassable)) {
      throw error;
    }
    await sendWaiting(queued, sending, ({ messageId }) => messageId <= queued.messageId);
  }
}

/**
 * Sends the messages to a contact that wait, in order, this one among them. One that cannot be sent holds up those after it, but only for
 * an hour: then they pass it, so that a message that always fails does not keep a contact from all others. While the provider takes
 * nothing, it is asked for three of them at most.
 * @throws when this one, or one that holds up others, cannot be sent now; `NotRecorded` when it must not be sent again.
 */
export async function sendWaiting(
  { contactId, messageId: own }: Pick<QueuedMessage, 'contactId' | 'messageId'>,
  sending: SendingSeveral,
  isDue: (queued: QueuedMessage) => boolean = () => true,
): Promise<void> {
  const start = performance.now();
  const { table, now } = sending;
  const waiting = (await table.list(queuedMessageRange(contactId))).map(({ data }) => data).filter(isDue);
  let mayPass = false;
  let failedInRow = 0;
  let reason: unknown;
  for (const queued of waiting) {
    const isOwn = queued.messageId === own;
    if (failedInRow >= enough && !isOwn) {
      continue;
    }
    const { late, left } = turnAt(start);
    try {
      await sendQueued(queued, { ...sending, now: after(now, late), timeout: left }, { mayPass });
      failedInRow = 0;
    } catch (error) {
      if (!holdsNoLonger(queued, now)) {
        throw error;
      }
      mayPass = true;
      failedInRow += 1;
      reason = isOwn ? error : reason;
    }
  }
  if (reason !== undefined) {
    throw reason;
  }
}
