import type { Filed } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { ownedId } from '../../../shared/contacts/child-id.ts';
import type { Conversation, Message } from '../../../shared/conversations/conversation.ts';
import {
  conversationOn,
  newConversation,
  withMessage,
} from '../../../shared/conversations/correspondence.ts';
import { type Caller, userHere } from '../../../shared/kernel/caller.ts';
import type { Timestamp } from '../../../shared/time.ts';
import type { StoredAttachment } from '../../../shared/uploads/attachments.ts';

/** What somebody wants to tell a contact. */
export interface Draft {
  readonly content: string;
  readonly attachments: readonly StoredAttachment[];
  readonly sentBy: Caller;
}

/** A message that waits to be sent, in what is filed with its contact. */
export interface Departure {
  readonly filed: Filed;
  readonly conversation: Conversation;
  readonly message: Message;
}

/** What is filed, after the message. A new conversation belongs to whoever writes, unless that is no user of the organization. */
export function departing(
  before: Filed,
  { content, attachments, sentBy }: Draft,
  ids: { readonly conversation: string; readonly message: string },
  at: Timestamp,
): Departure {
  const { contact } = before;
  const known =
    conversationOn(before, 'sms') ??
    newConversation(ownedId(contact._id, ids.conversation), contact, 'sms', userHere(sentBy), at);
  const message: Message = {
    _id: ownedId(contact._id, ids.message),
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
  const filed = withMessage(before, known, message);
  return { filed, conversation: conversationOn(filed, 'sms') ?? known, message };
}
