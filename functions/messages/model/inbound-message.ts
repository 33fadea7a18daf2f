import type { ContactState } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { conversationOn, withMessage } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { childId } from '../../../shared/contacts/contact.ts';
import type { Conversation, Message } from '../../../shared/conversations/conversation.ts';
import { newConversation } from '../../../shared/conversations/conversation.ts';
import type { Timestamp } from '../../../shared/time.ts';
import { consenting } from './consent.ts';
import type { IncomingSms } from './incoming-sms.ts';

/** Ids for what a message may create. */
export interface NewIds {
  readonly conversation: string;
  readonly message: string;
}

/** An inbound message, with its contact's aggregate afterwards. */
export interface InboundMessage {
  readonly state: ContactState;
  readonly conversation: Conversation;
  readonly message: Message;
}

/** The aggregate with the message. `owner` owns a new conversation. */
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
