import type { StoredContact } from '../contacts/contact.ts';
import { requireUnmerged } from '../contacts/find-contact.ts';
import type { Forward } from '../contacts/holdings.ts';
import { numberLockName } from '../contacts/phone-numbers.ts';
import type { Channel, Conversation, Message } from '../conversations/conversation.ts';
import { conversationRange, nextInboundNumber } from '../conversations/conversation.ts';
import { isReply, lastExchangeIn } from '../conversations/replies.ts';
import type { Caller } from '../kernel/caller.ts';
import { contactIdIn } from '../kernel/child-id.ts';
import { notFound } from '../kernel/failure.ts';
import type { Timestamp } from '../kernel/time.ts';
import { involvedPeople, readScope, sees } from '../organizations/visibility.ts';
import { toDigest } from '../table/digest.ts';
import { joined, type Key, type Range, upTo } from '../table/key.ts';
import { type Stored, type TableReader, VersionConflict } from '../table/table.ts';
import type { StoredApplication } from './application.ts';
import { applicationRange } from './application.ts';

/**
 * A contact with its conversations and applications, which lists show together. Changing one of them also writes the contact's
 * record, so that the contact's version guards them all.
 */
export interface ContactState {
  readonly contact: StoredContact;
  readonly conversations: readonly Conversation[];
  readonly applications: readonly StoredApplication[];
}

/** The aggregate as read, with the versions that condition its changes. */
export interface ContactAggregate {
  readonly contact: Stored<StoredContact>;
  readonly conversations: readonly Stored<Conversation>[];
  readonly applications: readonly Stored<StoredApplication>[];
}

/** The data of an aggregate. */
export function toContactState({ contact, conversations, applications }: ContactAggregate): ContactState {
  return {
    contact: contact.data,
    conversations: conversations.map(({ data }) => data),
    applications: applications.map(({ data }) => data),
  };
}

/**
 * A digest of conversations and applications with their versions; undefined for none. The contact's record contains it, so that a
 * reader knows that they belong together, and every change of them changes the contact's version.
 */
export function digestChildren(
  children: readonly { readonly id: string; readonly version: number }[],
): string | undefined {
  const texts = children.map(({ id, version }) => `${id} ${version}`).sort();
  return texts.length === 0 ? undefined : toDigest(texts.join()).slice(0, 16);
}

/** Attempts: if a change comes between the reads, the contact's digest does not match, and everything is read again. */
const readings = 3;

/** A contact's record and its conversations, which follow it in its partition. */
const contactWithConversationsRange = (contactId: string): Range<StoredContact | Forward | Conversation> => ({
  partition: ['CONTACT', contactId],
  between: { from: joined(['CONTACT']), to: upTo(['CONVERSATION']) },
});

/**
 * A contact with its conversations and applications, or the one that it was merged into; undefined if it does not exist. One round trip, and
 * another one for a contact that was merged or separated.
 */
export async function readAggregate(
  table: TableReader,
  contactId: string,
): Promise<ContactAggregate | undefined> {
  for (let reading = 0; reading < readings; reading += 1) {
    const [records, applications] = await Promise.all([
      table.list(contactWithConversationsRange(contactId)),
      table.list(applicationRange(contactId)),
    ]);
    const [contact] = records.filter(isOf<StoredContact>('CONTACT'));
    const [forward] = records.filter(isOf<Forward>('CONTACT_MERGED'));
    if (contact === undefined) {
      return forward && readAggregate(table, forward.data.mergedInto);
    }
    const own = { conversations: records.filter(isOf<Conversation>('CONVERSATION')), applications };
    const children = await withChildrenElsewhere(table, contact.data, own);
    if (contact.data.childrenDigest === digestStored(children)) {
      return { contact, ...children };
    }
  }
  throw new VersionConflict();
}

type StoredChildren = Pick<ContactAggregate, 'conversations' | 'applications'>;

const digestStored = ({ conversations, applications }: StoredChildren) =>
  digestChildren([...conversations, ...applications].map(({ data, version }) => ({ id: data._id, version })));

/** Those of the contact, also in its other partitions. */
async function withChildrenElsewhere(
  table: TableReader,
  contact: StoredContact,
  found: StoredChildren,
): Promise<StoredChildren> {
  if (contact.holdings === undefined) {
    return found;
  }
  const others = await Promise.all(
    contact.holdings.partitions.map(async (partition) => {
      const [conversations, applications] = await Promise.all([
        table.list(conversationRange(partition)),
        table.list(applicationRange(partition)),
      ]);
      return { conversations, applications };
    }),
  );
  const all = [found, ...others];
  const isOwn = ({ data }: Stored<{ readonly contactId: string }>) => data.contactId === contact._id;
  return {
    conversations: all.flatMap(({ conversations }) => conversations).filter(isOwn),
    applications: all.flatMap(({ applications }) => applications).filter(isOwn),
  };
}

const isOf =
  <Data>(kind: string) =>
  (record: Stored<unknown>): record is Stored<Data> =>
    record.key.sort[0] === kind;

/** The aggregate of a contact that the caller may see. @throws a 404 `Failure` otherwise. */
export async function findAggregate(
  table: TableReader,
  caller: Caller,
  contactId: string,
): Promise<ContactAggregate> {
  const [aggregate, scope] = await Promise.all([readAggregate(table, contactId), readScope(caller, table)]);
  if (aggregate === undefined || !sees(scope, involvedPeople(aggregate.contact.data))) {
    throw notFound('Contact');
  }
  requireUnmerged(contactId, aggregate.contact.data);
  return aggregate;
}

/** The aggregate with the conversation or application whose id this is, whichever contact has it now; undefined if it is gone. */
export async function readAggregateWith(
  table: TableReader,
  key: Key<{ _id: string; contactId: string }>,
): Promise<ContactAggregate | undefined> {
  const id = key.sort.at(-1) ?? '';
  const has = ({ conversations, applications }: ContactAggregate) =>
    [...conversations, ...applications].some(({ data }) => data._id === id);
  const home = await readAggregate(table, contactIdIn(id));
  if (home === undefined ? false : has(home)) {
    return home;
  }
  const moved = await table.read(key);
  return moved && readAggregate(table, moved.data.contactId);
}

/**
 * The contact's conversation on a channel. There is at most one, because adding one requires the contact's version; but a contact that others
 * were merged into has theirs, too, each for the numbers that it came with: then the one for this number or address, if there is one.
 */
export function conversationOn(
  { conversations }: Pick<ContactState, 'conversations'>,
  channel: Channel,
  address?: string,
): Conversation | undefined {
  const onChannel = conversations.filter((conversation) => conversation.channel === channel);
  const name = address === undefined ? undefined : numberLockName(address);
  return (
    onChannel.find(({ numbers }) => numbers?.some((number) => numberLockName(number) === name)) ??
    onChannel.find(({ numbers }) => numbers === undefined) ??
    (address === undefined ? onChannel[0] : undefined)
  );
}

/** The aggregate with a conversation added or replaced. */
export function withConversation(state: ContactState, conversation: Conversation): ContactState {
  const others = state.conversations.filter(({ _id }) => _id !== conversation._id);
  const conversations = [...others, conversation];
  const conversationAssignees = [...new Set(conversations.flatMap(({ assignees }) => assignees))];
  const { lastExchange: _, ...contact } = state.contact;
  const lastExchange = lastExchangeIn(conversations);
  const isOther = lastExchange !== undefined && lastExchange !== contact.lastMessageDirection;
  return {
    ...state,
    contact: { ...contact, conversationAssignees, ...(isOther && { lastExchange }) },
    conversations,
  };
}

/**
 * The aggregate with the changed contact. The conversations of a former owner get the new one: otherwise somebody who may no
 * longer see the contact could read new messages. Assignees stay, because somebody chose each of them.
 */
export function withContact(state: ContactState, contact: StoredContact): ContactState {
  const { owner: former } = state.contact;
  const { owner: userId, updatedAt } = contact;
  if (former === null || former === userId) {
    return { ...state, contact };
  }
  const conversations = state.conversations.map((conversation) =>
    conversation.userId === former ? { ...conversation, userId, updatedAt } : conversation,
  );
  return { ...state, contact, conversations };
}

/**
 * The aggregate with a message in this conversation. Contact and conversation store it as the last message, unless they have a
 * later one, and an inbound message reopens a resolved conversation.
 */
export function withMessage(state: ContactState, conversation: Conversation, message: Message): ContactState {
  const { createdAt, direction } = message;
  const counted: Conversation = {
    ...conversation,
    messageCount: conversation.messageCount + 1,
    inboundCount: nextInboundNumber(conversation, direction),
  };
  return withLastMessage(state, counted, message, createdAt);
}

/** The aggregate with one unsent message more, or less, in this conversation: a scheduled one is not its last message. */
export function withUnsentMessage(
  state: ContactState,
  conversation: Conversation,
  more: 1 | -1,
  at: Timestamp,
): ContactState {
  const messageCount = conversation.messageCount + more;
  return withConversation(state, { ...conversation, messageCount, updatedAt: at });
}

/** The aggregate without the last message of this conversation, which was not sent; `last` is then its last message. */
export function withoutLastMessage(
  state: ContactState,
  { lastMessageId: _, ...conversation }: Conversation,
  last: Message | undefined,
  at: Timestamp,
): ContactState {
  const lastMessageAt = last === undefined ? null : (last.sendAt ?? last.createdAt);
  const updated: Conversation = {
    ...conversation,
    messageCount: conversation.messageCount - 1,
    lastMessage: last?.content ?? null,
    lastMessageAt,
    ...(last && { lastMessageId: last._id }),
    updatedAt: at,
  };
  const { contact } = state;
  const lastMessageDirection = last?.direction ?? null;
  const isContacts = contact.lastMessageAt === conversation.lastMessageAt;
  return withConversation(
    isContacts ? { ...state, contact: { ...contact, lastMessageAt, lastMessageDirection } } : state,
    updated,
  );
}

/** The aggregate with a message of this conversation, which counts it already, as the last one. */
export function withLastMessage(
  state: ContactState,
  conversation: Conversation,
  message: Pick<Message, '_id' | 'content' | 'direction' | 'status' | 'replyIn'>,
  at: Timestamp,
): ContactState {
  const { _id, content, direction } = message;
  const { contact } = state;
  const { lastMessageId, turn = 0 } = conversation;
  // Those of a conversation from before they were counted: as if the last message was one.
  const { replies = contact.lastMessageDirection === 'outbound' ? 1 : 0 } = conversation;
  const isLatest = (known: Timestamp | null) => known === null || known <= at;
  const updated: Conversation = {
    ...conversation,
    ...(isLatest(conversation.lastMessageAt) ? { lastMessage: content, lastMessageAt: at } : {}),
    lastMessageId: lastMessageId === undefined || lastMessageId < _id ? _id : lastMessageId,
    // A message that the contact wrote before our last one, and that arrived late, leaves that one a reply.
    ...(direction === 'inbound' && isLatest(conversation.lastMessageAt)
      ? { turn: turn + 1, replies: 0 }
      : { replies: replies + Number(isReply(message)) }),
    isResolved: direction === 'inbound' ? false : conversation.isResolved,
    updatedAt: at,
  };
  return withConversation(
    isLatest(contact.lastMessageAt)
      ? { ...state, contact: { ...contact, lastMessageAt: at, lastMessageDirection: direction } }
      : state,
    updated,
  );
}
