import { aggregateByPhone, stateOf } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { childId } from '../../shared/contacts/child-id.ts';
import { newContact } from '../../shared/contacts/contact.ts';
import type { Channel, Message } from '../../shared/conversations/conversation.ts';
import { messageKey } from '../../shared/conversations/conversation.ts';
import { conversationOn, newConversation, withMessage } from '../../shared/conversations/correspondence.ts';
import { pipelinesKey } from '../../shared/pipelines/pipeline.ts';
import { stageMeant } from '../../shared/pipelines/stages.ts';
import type { Person, Product } from '../harness/product.ts';

/** A message from a number, kept the way the product keeps what a provider brings: its contact is found, or made. */
export async function receiveMessage(
  product: Product,
  { userId, organizationId }: Person,
  number: string,
  channel: Channel = 'sms',
): Promise<Message> {
  const { table, moment } = product.tableOf(organizationId);
  const at = moment.now.toISOString();
  const ids = { contact: moment.newId(), conversation: moment.newId(), message: moment.newId() };
  return table.optimistically(async () => {
    const [aggregate, pipelines] = await Promise.all([
      aggregateByPhone(table, number),
      table.read(pipelinesKey()),
    ]);
    const place = stageMeant(pipelines?.data.pipelines ?? [], 'Contact', {});
    const stranger = newContact(
      ids.contact,
      { userId, organizationId, homeOrganizationId: organizationId },
      place,
      { phoneNumbers: [{ value: number, label: '', isPrimary: true }], source: 'Text message' },
      at,
    );
    const state = aggregate ? stateOf(aggregate) : { contact: stranger, conversations: [], applications: [] };
    const contactId = state.contact._id;
    const conversation =
      conversationOn(state, channel) ??
      newConversation(childId(contactId, ids.conversation), state.contact, channel, userId, at);
    const message: Message = {
      _id: childId(contactId, ids.message),
      conversationId: conversation._id,
      contactId,
      direction: 'inbound',
      content: 'Hello',
      attachments: [],
      channel,
      status: 'received',
      sentBy: null,
      providerMessageId: `SM${ids.message}`,
      createdAt: at,
    };
    await table.commit([
      ...contactWrites(table, aggregate, withMessage(state, conversation, message), {
        phoneTaken: 'look again',
      }),
      table.add(messageKey(contactId, conversation._id, message._id), message),
    ]);
    return message;
  });
}
