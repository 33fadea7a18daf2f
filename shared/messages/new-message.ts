import {
  type ContactState,
  conversationOn,
  withMessage,
  withUnsentMessage,
} from '../contact-aggregate/contact-aggregate.ts';
import {
  type Conversation,
  type Message,
  newConversation,
  nextInboundNumber,
} from '../conversations/conversation.ts';
import { asReply } from '../conversations/replies.ts';
import { childId, contactIdIn } from '../kernel/child-id.ts';
import { normalized } from '../kernel/normal-form.ts';
import type { Timestamp } from '../kernel/time.ts';

/** The fields that depend on the direction of the message. */
type Content = Pick<
  Message,
  | 'direction'
  | 'content'
  | 'attachments'
  | 'status'
  | 'sentBy'
  | 'providerMessageId'
  | 'from'
  | 'retryOf'
  | 'sendAt'
  | 'callId'
  | 'causedBy'
>;

/** A text that the service sends by itself, from this number. */
export function automaticText(content: string, from: string | null): Content {
  return {
    direction: 'outbound',
    content,
    attachments: [],
    status: 'queued',
    sentBy: null,
    providerMessageId: null,
    from,
  };
}

/** A text message, and its contact's aggregate after it. */
interface NewMessage {
  readonly state: ContactState;
  readonly conversation: Conversation;
  readonly message: Message;
}

/**
 * Adds a text message to the contact's SMS conversation, this one or that for this address, and creates one for `owner` if there is none. `lastInbound` are the
 * numbers of a message from the contact, `helpedAt` is the time of a help message. A message with `sendAt` becomes the last message only
 * when it is sent. `ids.event` is the id of its event, or a later one: events about later changes of it get higher ids.
 */
export function newMessage(
  before: ContactState,
  content: Content,
  {
    owner,
    conversation,
    address,
    ...further
  }: {
    readonly owner: string | null;
    readonly conversation?: Conversation | undefined;
    readonly address?: string | undefined;
  } & Pick<Conversation, 'lastInbound' | 'helpedAt'>,
  ids: { readonly conversation: string; readonly message: string; readonly event?: string | undefined },
  at: Timestamp,
): NewMessage {
  const { contact } = before;
  const known =
    conversation ??
    conversationOn(before, 'sms', address ?? further.lastInbound?.from) ??
    newConversation(childId(contact._id, ids.conversation), contact, 'sms', owner, at);
  const written: Message = {
    _id: childId(contactIdIn(known._id), ids.message),
    conversationId: known._id,
    contactId: contact._id,
    ...content,
    // The form in which most letters take one unit of a text message: as two, an é makes all characters take 16 bits.
    content: normalized(content.content),
    channel: 'sms',
    inboundNumber: nextInboundNumber(known, content.direction),
    ...(ids.event !== undefined && { movedIn: ids.event }),
    createdAt: at,
  };
  const current = { ...known, ...further };
  const isReply = content.direction === 'outbound' && content.sendAt === undefined;
  const message = isReply ? asReply(written, current) : written;
  const state =
    content.sendAt === undefined
      ? withMessage(before, current, message)
      : withUnsentMessage(before, current, 1, at);
  const after = state.conversations.find(({ _id }) => _id === known._id) ?? known;
  return { state, conversation: after, message };
}
