import { messageKey } from '../../shared/conversations/conversation.ts';
import { newConversation } from '../conversations/client.ts';
import { arrange, type World } from '../harness/world.ts';
import { outgoingOf } from './outgoing.ts';

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
  // Otherwise the report could be anybody's.
  const outgoing = await outgoingOf(product);
  const records = await outgoing.records(rep);
  await outgoing.tell(records.filter(({ dynamodb }) => dynamodb?.Keys?.sk?.S?.includes(messageId)));
  const sent = (await table.read(messageKey(contactId, conversationId, messageId)))?.data;
  const sid = sent?.providerMessageId ?? '';
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
