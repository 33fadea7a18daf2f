import type { ContactState } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { childId } from '../../../shared/contacts/child-id.ts';
import { newContact, type StoredContact } from '../../../shared/contacts/contact.ts';
import { placeholderFields } from '../../../shared/contacts/placeholder-contact.ts';
import type { Conversation, Message } from '../../../shared/conversations/conversation.ts';
import {
  conversationOn,
  newConversation,
  withMessage,
} from '../../../shared/conversations/correspondence.ts';
import type { NumberOwner } from '../../../shared/organizations/phone-assignment.ts';
import type { StagePlace } from '../../../shared/pipelines/stages.ts';
import type { Timestamp } from '../../../shared/time.ts';
import { consenting } from './consent.ts';
import type { IncomingSms } from './incoming-sms.ts';
import type { ReceivedIds } from './queued-message.ts';

/** A contact for the sender of a message, made by the user whose number it came to. */
export function contactOfSender(
  id: string,
  { organizationId, userId }: NumberOwner,
  owner: string | null,
  place: StagePlace,
  { from }: IncomingSms,
  at: Timestamp,
): StoredContact {
  const creator = { userId, organizationId, homeOrganizationId: organizationId };
  return newContact(id, creator, place, { ...placeholderFields('message', from), owner }, at);
}

/** Ids for what a message may bring into being. */
export interface NewIds {
  readonly conversation: string;
  readonly message: string;
}

/** A message that came in, with its contact's aggregate as it is afterwards. */
export interface InboundMessage {
  readonly state: ContactState;
  readonly conversation: Conversation;
  readonly message: Message;
}

/** The aggregate after the message. A new conversation belongs to `owner`. */
export function inboundMessage(
  before: ContactState,
  owner: string | null,
  { sid, from, to, content, attachments }: IncomingSms,
  ids: NewIds,
  at: Timestamp,
): InboundMessage {
  const contact = consenting(before.contact, content, at);
  const known =
    conversationOn(before, 'sms') ??
    newConversation(childId(contact._id, ids.conversation), contact, 'sms', owner, at);
  const message: Message = {
    _id: childId(contact._id, ids.message),
    conversationId: known._id,
    contactId: contact._id,
    direction: 'inbound',
    content,
    attachments: [...attachments],
    channel: 'sms',
    status: 'received',
    sentBy: null,
    providerMessageId: sid,
    createdAt: at,
  };
  const state = withMessage({ ...before, contact }, { ...known, lastInbound: { from, to } }, message);
  return { state, conversation: conversationOn(state, 'sms') ?? known, message };
}

export function idsOf({ message }: InboundMessage): ReceivedIds {
  const { _id: messageId, conversationId, contactId } = message;
  return { messageId, conversationId, contactId };
}
