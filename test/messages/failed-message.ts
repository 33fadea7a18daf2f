import { progressed } from '../../functions/messages/model/progress.ts';
import { messageKey } from '../../shared/conversations/conversation.ts';
import { queuedMessageKey } from '../../shared/messages/queued-message.ts';
import { refused } from '../../shared/messages/sms-outcomes.ts';
import { newConversation } from '../conversations/client.ts';
import type { World } from '../harness/world.ts';

/** A message of `rep` that the provider refused, without asking it: `sending.test.ts` is about that. */
export async function failedMessage(world: World, more: Record<string, unknown> = {}) {
  const ids = await newConversation(world, more);
  const { table, moment } = world.product.tableOf(world.rep.organizationId);
  const stored = await table.read(messageKey(ids.contactId, ids.conversationId, ids.messageId));
  if (stored === undefined) {
    throw new Error('The message is gone');
  }
  const { status, code, reason } = refused(30_007);
  const failure = { code, reason };
  const at = moment.now.toISOString();
  await table.commit([
    table.replace(stored, progressed(stored.data, { status, failure, at })),
    table.delete(queuedMessageKey(ids.contactId, ids.messageId)),
  ]);
  return ids;
}
