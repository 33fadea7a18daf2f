import { joined, keyPrefix } from '../table/key.ts';
import type { Stored, TableReader } from '../table/table.ts';
import { type Message, messageKey, messageRange } from './conversation.ts';

/** Messages that are read at once: more than one only where scheduled ones stand in a row, which seldom happens. */
const batch = 10;

/**
 * The message listed just before this one that was received or is on its way: a user who reads up to this one has also read that.
 * Undefined if there is none.
 */
export async function findMessageBefore(
  table: TableReader,
  { _id, conversationId }: Pick<Message, '_id' | 'conversationId'>,
): Promise<Stored<Message> | undefined> {
  const { partition, under = [] } = messageRange(conversationId);
  const from = keyPrefix(under);
  let to = joined(messageKey(conversationId, _id).sort);
  for (;;) {
    const upTo = await table.list<Message>(
      { partition, between: { from, to } },
      { limit: batch + 1, descending: true },
    );
    const found = upTo.find(({ key, data }) => joined(key.sort) !== to && data.status !== 'scheduled');
    const last = upTo.at(-1);
    if (found !== undefined || last === undefined || upTo.length <= batch) {
      return found;
    }
    to = joined(last.key.sort);
  }
}
