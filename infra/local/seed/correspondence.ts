import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { childId } from '../../../shared/contacts/contact.ts';
import type {
  Channel,
  Conversation,
  Direction,
  Message,
} from '../../../shared/conversations/conversation.ts';
import { messageKey } from '../../../shared/conversations/conversation.ts';
import { day, minute, timestamp } from '../../../shared/kernel/time.ts';
import type { User } from '../../../shared/organizations/user.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import { type Dialogue, dialogues } from './phrases.ts';
import type { Randomness } from './randomness.ts';

const channels: readonly Channel[] = ['sms', 'sms', 'sms', 'email', 'email', 'webchat', 'voice'];

/** A conversation with all that was said in it. */
export interface Exchanged {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
}

/** The steps that write messages beside their conversations. */
export function messageSteps(table: TableWriter, exchanged: readonly Exchanged[]): Step[] {
  return exchanged
    .flatMap(({ messages }) => messages)
    .map((message) => table.add(messageKey(message.contactId, message.conversationId, message._id), message));
}

/** The conversations that led to the last message of a contact, with their messages; each on a channel of its own. */
export function correspondence(
  contact: StoredContact,
  users: ReadonlyMap<string, User>,
  random: Randomness,
): Exchanged[] {
  const { lastMessageAt, lastMessageDirection: direction } = contact;
  if (lastMessageAt === null || direction === null) {
    return [];
  }
  const created = Date.parse(contact.createdAt);
  const last = Date.parse(lastMessageAt);
  const [channel, dialogue, length] = endingWith(direction, random);
  // Messages lie between the contact's creation and its last one; an earlier conversation before them.
  const start = Math.max(last - 3 * day * (0.01 + random.next()), created + (last - created) / 2);
  const latest = { channel, dialogue: dialogue.slice(0, length), start, end: last };
  const isRegular = last - created > 10 * day && random.chance(0.3);
  const earlierChannel = random.pick(channels.filter((other) => other !== channel));
  const earlier = {
    channel: earlierChannel,
    dialogue: random.pick(dialogues[earlierChannel]),
    start: created + minute,
    end: created + minute + (start - created - 2 * minute) * (0.2 + 0.8 * random.next()),
  };
  return [
    ...(isRegular ? [exchange(contact, { ...earlier, isResolved: true }, users, random)] : []),
    exchange(
      contact,
      { ...latest, isResolved: direction === 'outbound' && random.chance(0.4) },
      users,
      random,
    ),
  ];
}

/** A dialogue, and how much of it was said when the last word was had by this side. */
function endingWith(direction: Direction, random: Randomness): [Channel, Dialogue, number] {
  const channel = random.pick(channels);
  const dialogue = random.pick(dialogues[channel]);
  const lengths = dialogue.flatMap(([side], index) => (side === direction ? [index + 1] : []));
  return [channel, dialogue, random.pick(lengths)];
}

interface Exchange {
  /** Of the conversation; a new one unless stated. */
  readonly _id?: string;
  readonly channel: Channel;
  readonly dialogue: Dialogue;
  /** Milliseconds since the epoch of the first and of the last message. */
  readonly start: number;
  readonly end: number;
  readonly isResolved: boolean;
}

/** What was said in an exchange, with the times that follow from its first and its last message. */
export function exchange(
  contact: StoredContact,
  { _id, channel, dialogue, start, end, isResolved }: Exchange,
  users: ReadonlyMap<string, User>,
  random: Randomness,
): Exchanged {
  const { _id: contactId, organizationId, conversationAssignees: assignees } = contact;
  const userId = assignees[0] ?? contact.owner ?? null;
  const writer = userId ?? contact.createdBy;
  const at = (index: number) => {
    const untilLast = dialogue.length - 1 - index;
    return new Date(Math.round(end - ((end - start) * untilLast) / Math.max(1, dialogue.length - 1)));
  };
  const begun = at(0);
  const conversationId = _id ?? childId(contactId, random.idAt(begun));
  const messages = dialogue.map(
    ([direction, phrase], index): Message => ({
      _id: childId(contactId, random.idAt(at(index))),
      conversationId,
      contactId,
      direction,
      content: phrase
        .replaceAll('{first}', contact.firstName)
        .replaceAll('{user}', users.get(writer)?.firstName ?? ''),
      attachments: [],
      channel,
      status: direction === 'inbound' ? 'received' : 'sent',
      sentBy: direction === 'outbound' ? writer : null,
      providerMessageId: channel === 'sms' ? `SM${hexadecimal(random)}` : null,
      createdAt: timestamp(at(index)),
    }),
  );
  const lastMessage = messages.at(-1);
  const conversation: Conversation = {
    _id: conversationId,
    contactId,
    organizationId,
    userId,
    assignees,
    channel,
    lastMessage: lastMessage?.content ?? null,
    lastMessageAt: lastMessage?.createdAt ?? null,
    messageCount: messages.length,
    isResolved,
    createdAt: timestamp(begun),
    updatedAt: lastMessage?.createdAt ?? timestamp(begun),
  };
  return { conversation, messages };
}

/** 32 digits, as providers make them. */
function hexadecimal(random: Randomness): string {
  return Array.from({ length: 4 }, () =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
}
