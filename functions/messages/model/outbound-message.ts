import type { ContactState } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { conversationOn, withMessage } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { childId } from '../../../shared/contacts/contact.ts';
import type { Conversation, Message } from '../../../shared/conversations/conversation.ts';
import { newConversation } from '../../../shared/conversations/conversation.ts';
import { type Caller, userHere } from '../../../shared/kernel/caller.ts';
import type { Timestamp } from '../../../shared/time.ts';
import type { StoredAttachment } from '../../../shared/uploads/attachments.ts';

/** A message to a contact before it is stored. */
export interface Draft {
  readonly content: string;
  readonly attachments: readonly StoredAttachment[];
  readonly sentBy: Caller;
}

/** A message ready to be sent, with its contact's aggregate afterwards. */
export interface OutboundMessage {
  readonly state: ContactState;
  readonly conversation: Conversation;
  readonly message: Message;
}

/** The aggregate with the message. Its sender owns a new conversation, unless they are no user of the organization. */
export function outboundMessage(
  before: ContactState,
  { content, attachments, sentBy }: Draft,
  ids: { readonly conversation: string; readonly message: string },
  at: Timestamp,
): OutboundMessage {
  const { contact } = before;
  const known =
    conversationOn(before, 'sms') ??
    newConversation(childId(contact._id, ids.conversation), contact, 'sms', userHere(sentBy), at);
  const message: Message = {
    _id: childId(contact._id, ids.message),
    conversationId: known._id,
    contactId: contact._id,
    direction: 'outbound',
    content,
    attachments: attachments.map((one) => ({ ...one, url: '' })),
    channel: 'sms',
    status: 'queued',
    sentBy: sentBy.userId,
    providerMessageId: null,
    createdAt: at,
  };
  const state = withMessage(before, known, message);
  return { state, conversation: conversationOn(state, 'sms') ?? known, message };
}
