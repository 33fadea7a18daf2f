import { conversationOn, withMessage } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { findOrCreateContactByPhone } from '../../shared/contact-aggregate/find-or-create-contact.ts';
import { newContact } from '../../shared/contacts/contact.ts';
import { phoneLockKey } from '../../shared/contacts/phone-numbers.ts';
import {
  type Channel,
  type Message,
  messageKey,
  newConversation,
} from '../../shared/conversations/conversation.ts';
import { childId } from '../../shared/kernel/child-id.ts';
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
    const lock = await table.read(phoneLockKey(number));
    return findOrCreateContactByPhone(
      table,
      { lock, at },
      (keyText) =>
        newContact(
          ids.contact,
          { userId, organizationId, homeOrganizationId: organizationId },
          keyText,
          { phoneNumbers: [{ value: number, label: '', isPrimary: true }], source: 'Text message' },
          at,
        ),
      async ({ state, writes }) => {
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
          ...writes(withMessage(state, conversation, message)).actions,
          table.add(messageKey(conversation._id, message._id), message),
        ]);
        return message;
      },
    );
  });
}
