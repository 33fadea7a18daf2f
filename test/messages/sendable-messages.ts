import { conversationsClient, newConversation } from '../conversations/client.ts';
import { readEvents } from '../harness/events.ts';
import type { Tenants } from '../harness/tenants.ts';
import { prepareOutgoing } from './outgoing.ts';
import { callbackQuery } from './status-client.ts';

/** Messages of `rep`, which one can send when one likes. */
export async function sendableMessages(tenants: Tenants) {
  const { product, admin, rep } = tenants;
  const outgoing = await prepareOutgoing(product);

  const messagesOf = async (conversationId: string) =>
    (await conversationsClient(product, rep).messages(conversationId)).body.data;

  /** A message that waits to be sent, and one that the provider has taken. */
  async function queuedMessage() {
    const ids = await newConversation(tenants);
    const told = (await outgoing.records(rep)).filter(({ dynamodb }) =>
      dynamodb?.Keys?.sk?.S?.includes(ids.messageId),
    );
    const send = async () => {
      await outgoing.tell(told);
      return product.sentMessages.filter(({ id }) => id === ids.messageId);
    };
    const read = async () => (await messagesOf(ids.conversationId))[0];
    /** Its statuses as the events told them, and as what it was created. */
    const moves = async () =>
      (await readEvents(product, admin.organizationId))
        .filter(({ event, data }) => event.startsWith('message_') && data.messageId === ids.messageId)
        .map(({ data }) => (data.message as { status: string }).status);
    return { ...ids, send, read, moves };
  }

  async function sentMessage() {
    const message = await queuedMessage();
    const [sent] = await message.send();
    const sid: string = (await message.read()).providerMessageId;
    return { ...message, sid, query: callbackQuery(sent?.statusPath ?? '') };
  }

  return { outgoing, queuedMessage, sentMessage };
}
