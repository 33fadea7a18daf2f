import {
  type ContactState,
  conversationOn,
  withConversation,
  withMessage,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { childId, type StoredContact } from '../../../shared/contacts/contact.ts';
import {
  type Channel,
  type Conversation,
  type Direction,
  type Message,
  newConversation,
  nextInboundNumber,
} from '../../../shared/conversations/conversation.ts';
import { asReply } from '../../../shared/conversations/replies.ts';
import { undelivered } from '../../../shared/kernel/providers/sms-outcomes.ts';
import { after, day, minute, second, timestamp } from '../../../shared/kernel/time.ts';
import { accounts } from './accounts.ts';
import { type Dialogue, dialogues } from './phrases.ts';
import type { Randomness } from './randomness.ts';
import type { LastMessage, SeedContact } from './seed-contacts.ts';

const channels: readonly Channel[] = ['sms', 'sms', 'sms', 'email', 'email', 'webchat', 'voice'];

/** A conversation on a channel. */
export interface Exchange {
  /** Of the conversation; any unless stated. */
  readonly _id?: string;
  readonly channel: Channel;
  readonly dialogue: Dialogue;
  /** When the first and the last message were written, in milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly isResolved: boolean;
}

/** The exchanges that lead to the last message of a contact, each on a channel of its own. */
export function exchangesUntil(
  { at, direction }: LastMessage,
  { createdAt }: SeedContact,
  random: Randomness,
): Exchange[] {
  const created = createdAt.getTime();
  const last = at.getTime();
  const [channel, dialogue, length] = endingWith(direction, random);
  // All messages are written between the creation of the contact and its last message; those of an earlier conversation come first.
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
    ...(isRegular ? [{ ...earlier, isResolved: true }] : []),
    { ...latest, isResolved: direction === 'outbound' && random.chance(0.4) },
  ];
}

/** A dialogue, and how many of its lines were said when this side had the last word. */
function endingWith(direction: Direction, random: Randomness): [Channel, Dialogue, number] {
  const channel = random.pick(channels);
  const dialogue = random.pick(dialogues[channel]);
  const lengths = dialogue.flatMap(([side], index) => (side === direction ? [index + 1] : []));
  return [channel, dialogue, random.pick(lengths)];
}

/** The aggregate of a contact after its exchanges, and their messages. */
export interface Told {
  readonly state: ContactState;
  readonly messages: readonly Message[];
}

/** Adds the exchanges to the contact. A new conversation is assigned to the first assignee, or else to the owner of the contact. */
export function converse(
  before: ContactState,
  exchanges: readonly Exchange[],
  assignees: string[],
  random: Randomness,
): Told {
  const { contact } = before;
  const userId = assignees[0] ?? contact.owner;
  const messages: Message[] = [];
  let state = before;
  for (const exchange of exchanges) {
    const { channel, isResolved } = exchange;
    const start = new Date(exchange.start);
    const begun =
      conversationOn(state, channel) ??
      newConversation(
        exchange._id ?? childId(contact._id, random.idAt(start)),
        contact,
        channel,
        userId,
        timestamp(start),
      );
    const current = () => conversationOn(state, channel) ?? begun;
    for (const written of messagesOf(exchange, begun, contact, random)) {
      const message = written.direction === 'outbound' ? asReply(written, current()) : written;
      const inboundNumber = nextInboundNumber(current(), message.direction);
      messages.push({ ...message, inboundNumber });
      state = withMessage(state, current(), message);
    }
    state = withConversation(state, { ...current(), assignees, isResolved });
  }
  return { state, messages };
}

function messagesOf(
  { channel, dialogue, start, end }: Exchange,
  { _id: conversationId, contactId, userId }: Conversation,
  { firstName, createdBy }: StoredContact,
  random: Randomness,
): Message[] {
  const writer = accounts.find(({ _id }) => _id === (userId ?? createdBy));
  return dialogue.map(([direction, phrase], index) => {
    const untilLast = dialogue.length - 1 - index;
    const at = new Date(Math.round(end - ((end - start) * untilLast) / Math.max(1, dialogue.length - 1)));
    return {
      _id: childId(contactId, random.idAt(at)),
      conversationId,
      contactId,
      direction,
      content: phrase.replaceAll('{first}', firstName).replaceAll('{user}', writer?.firstName ?? ''),
      attachments: [],
      channel,
      ...progressOf(
        direction,
        channel,
        at,
        channel === 'sms' ? `SM${digits(random)}` : null,
        untilLast === 0,
      ),
      sentBy: direction === 'outbound' ? (writer?._id ?? null) : null,
      createdAt: timestamp(at),
    };
  });
}

/** The status of a message: most text messages were delivered; sometimes the last one was not, if nobody has replied to it. */
function progressOf(
  direction: Direction,
  channel: Channel,
  at: Date,
  providerMessageId: string | null,
  isLast: boolean,
): Pick<Message, 'status' | 'providerMessageId' | 'failure' | 'deliveredAt'> {
  if (direction === 'inbound' || channel !== 'sms') {
    return { status: direction === 'inbound' ? 'received' : 'sent', providerMessageId };
  }
  const code = isLast ? codes[providerMessageId?.at(-1) ?? ''] : undefined;
  return code === undefined
    ? { status: 'delivered', deliveredAt: timestamp(after(at, 2 * second)), providerMessageId }
    : { status: 'undelivered', failure: undelivered(code), providerMessageId };
}

/** Why the last message was not delivered, by the last digit of its id at the provider. */
const codes: Readonly<Record<string, string>> = { '0': '30003', '1': '30005', '2': '30006', '3': '30007' };

/** How many hexadecimal digits the ids of an SMS provider have. */
function digits(random: Randomness): string {
  return Array.from({ length: 32 }, () => random.below(16).toString(16)).join('');
}
