import { joined, prefixOf } from '../table/key.ts';
import type { TableReader } from '../table/table.ts';
import { type Message, messageKey, messageRange } from './conversation.ts';

/** How many scheduled messages in a row are passed over; two seldom have the same time. */
const maxInRow = 10;

/**
 * The message listed just before this one that was received or is on its way: a user who reads up to this one has also read that.
 * Undefined if none is found near it.
 */
export async function messageBefore(
  table: TableReader,
  { _id, contactId, conversationId }: Pick<Message, '_id' | 'contactId' | 'conversationId'>,
): Promise<Message | undefined> {
  const { partition, under = [] } = messageRange(contactId, conversationId);
  const to = joined(messageKey(contactId, conversationId, _id).sort);
  const upTo = await table.list<Message>(
    { partition, between: { from: prefixOf(under), to } },
    { limit: maxInRow + 1, descending: true },
  );
  return upTo
    .map(({ data }) => data)
    .find((message) => message._id !== _id && message.status !== 'scheduled');
}
