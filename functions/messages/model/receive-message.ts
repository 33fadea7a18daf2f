import { findOrCreateContactByPhone } from '../../../shared/contact-aggregate/find-or-create-contact.ts';
import { newContact } from '../../../shared/contacts/contact.ts';
import { phoneLockKey, phoneNumberIn, senderLockKey } from '../../../shared/contacts/phone-numbers.ts';
import { placeholderFields, unnumberedFields } from '../../../shared/contacts/placeholder-contact.ts';
import { messageKey } from '../../../shared/conversations/conversation.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { after, timestamp } from '../../../shared/kernel/time.ts';
import { eventSteps } from '../../../shared/live/outbox.ts';
import { messageCreated } from '../../../shared/messages/message-events.ts';
import { newMessage } from '../../../shared/messages/new-message.ts';
import type { NumberOwner } from '../../../shared/organizations/phone-assignments.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import { digestOf } from '../../../shared/table/digest.ts';
import type { TableWriter } from '../../../shared/table/table.ts';
import { idAt } from '../../../shared/webhooks/id-at.ts';
import { consenting } from './consent.ts';
import type { IncomingSms } from './incoming-sms.ts';
import { type ReceivedIds, receivedMessageKey, recognisedFor } from './received-message.ts';

/**
 * Stores an inbound message with its contact and conversation in one transaction, only once however often and simultaneously its
 * provider sends it. `receivedAt` is now, unless the message had to wait for its recipient.
 * @returns the ids; those of the first time for a duplicate.
 * @throws a 404 `Failure` for an unknown sender when there is no Contact pipeline.
 */
export async function receiveMessage(
  table: TableWriter,
  { organizationId, userId, provider }: NumberOwner,
  { sid, providerMessageId, from, to, content, attachments }: IncomingSms,
  { now, newId }: ClockAndIds,
  receivedAt = now,
): Promise<ReceivedIds & { duplicate: boolean }> {
  const at = timestamp(receivedAt);
  const isNumber = phoneNumberIn(from) === from;
  // Ids of one moment are in random order, so they are sorted: clients get a contact before its first message.
  const ids = {
    contact: idAt(receivedAt, newId()),
    conversation: idAt(receivedAt, newId()),
    message: idAt(receivedAt, newId()),
    events: [newId(), newId()].sort(),
  };
  const receivedKey = receivedMessageKey(digestOf(JSON.stringify([provider, sid])));
  const creator = { userId, organizationId, homeOrganizationId: organizationId };

  return table.optimistically(async () => {
    const [earlier, lock, user] = await Promise.all([
      table.read(receivedKey),
      table.read(isNumber ? phoneLockKey(from) : senderLockKey(digestOf(from))),
      table.read(userKey(userId)),
    ]);
    if (earlier !== undefined) {
      return { ...earlier.data, duplicate: true };
    }
    // A user who cannot sign in would own contacts that nobody reads.
    const owner = user === undefined || user.data.disabled ? null : userId;
    const fields = {
      ...(isNumber ? placeholderFields('message', from) : unnumberedFields('message', from)),
      owner,
    };
    return findOrCreateContactByPhone(
      table,
      { lock },
      (place) => ({
        ...newContact(ids.contact, creator, place, fields, at),
        ...(isNumber ? {} : { sender: from }),
      }),
      async (contact) => {
        const { state, conversation, message } = newMessage(
          { ...contact.state, contact: consenting(contact.state.contact, content, at) },
          {
            direction: 'inbound',
            content,
            attachments: [...attachments],
            status: 'received',
            sentBy: null,
            providerMessageId,
          },
          { owner, lastInbound: { from, to } },
          ids,
          at,
        );
        const { _id: messageId, conversationId, contactId } = message;
        const received = { messageId, conversationId, contactId };
        const { steps, events } = contact.writes(state);
        const allEvents = [...events, messageCreated(state.contact, conversation, message)];
        await table.commit([
          // A copy of the message at the same moment loses here by a version conflict, and finds this record when it looks again.
          table.add(receivedKey, received, { expiresAt: after(now, recognisedFor) }),
          ...steps,
          table.add(messageKey(contactId, conversationId, messageId), message),
          ...eventSteps(table, allEvents, ids.events, now),
        ]);
        return { ...received, duplicate: false };
      },
    );
  });
}
