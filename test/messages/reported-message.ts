import { messageKey } from '../../shared/conversations/conversation.ts';
import { newConversation } from '../conversations/client.ts';
import { arrange, type World } from '../harness/world.ts';
import { newSid } from './webhook-client.ts';

/** A message of `rep` of which its provider has told this much, by the address that it was given. */
export async function reportedMessage(
  world: World,
  report: { MessageStatus: string; ErrorCode?: string },
  more: Record<string, unknown> = {},
) {
  const { product, rep } = world;
  const ids = await newConversation(world, more);
  const { contactId, conversationId, messageId } = ids;
  const { table } = product.tableOf(rep.organizationId);
  const from = (await table.read(messageKey(contactId, conversationId, messageId)))?.data.from;
  const sid = newSid();
  await arrange(
    product.call('receive-status', {
      path: { provider: 'twilio' },
      query: {
        organization: rep.organizationId,
        conversation: conversationId,
        message: messageId,
        ...(from && { from }),
      },
      body: { MessageSid: sid, ...report },
    }),
  );
  return { ...ids, sid };
}

/** A message of `rep` that was not delivered. */
export const failedMessage = (world: World, more?: Record<string, unknown>) =>
  reportedMessage(world, { MessageStatus: 'failed', ErrorCode: '30007' }, more);
