import { type ContactAggregate, readAggregate } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { canSeeConversation } from '../../../shared/contact-aggregate/find-conversation.ts';
import {
  type Conversation,
  conversationRange,
  type Message,
  messageKey,
} from '../../../shared/conversations/conversation.ts';
import { findMessageBefore } from '../../../shared/conversations/message-before.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { contactIdIn } from '../../../shared/kernel/child-id.ts';
import { notFound } from '../../../shared/kernel/failure.ts';
import { readScope, type Scope } from '../../../shared/organizations/visibility.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';

/** A message with its conversation and the aggregate of its contact, for a change. */
export interface FoundMessage {
  readonly aggregate: ContactAggregate;
  readonly conversation: Conversation;
  readonly stored: Stored<Message>;
  /** If it is the last message of the conversation: the one before it, if there is one. */
  readonly previous: Stored<Message> | undefined;
}

/** What is wanted beside the message. */
interface Wanted {
  /** Whether the message before the last one is; true unless stated. */
  readonly hasPrevious?: boolean;
}

/**
 * The message with this id, in two round trips unless its conversation has another contact by now.
 * @throws a 404 `Failure` if the caller may not see its conversation.
 */
export async function findMessage(
  table: TableReader,
  caller: Caller,
  id: string,
  wanted: Wanted = {},
): Promise<FoundMessage> {
  const homeId = contactIdIn(id);
  const [home, scope] = await Promise.all([readAggregate(table, homeId), readScope(caller, table)]);
  const found =
    (home && (await findIn(table, home, scope, id, wanted))) ??
    (await findElsewhere(table, homeId, scope, id, wanted));
  if (found === undefined) {
    throw notFound('Message');
  }
  return found;
}

/** Undefined for a message that is in none of the conversations of this contact that the scope includes. */
async function findIn(
  table: TableReader,
  aggregate: ContactAggregate,
  scope: Scope,
  id: string,
  { hasPrevious = true }: Wanted,
): Promise<FoundMessage | undefined> {
  const contact = aggregate.contact.data;
  const conversations = aggregate.conversations
    .map(({ data }) => data)
    .filter((conversation) => canSeeConversation(scope, contact, conversation));
  const ending = conversations.find(({ lastMessageId }) => lastMessageId === id);
  const [messages, previous] = await Promise.all([
    table.readMany(conversations.map(({ _id }) => messageKey(_id, id))),
    hasPrevious && ending ? findMessageBefore(table, { _id: id, conversationId: ending._id }) : undefined,
  ]);
  const stored = messages.find((message) => message !== undefined);
  const conversation = conversations.find(({ _id }) => _id === stored?.data.conversationId);
  return stored && conversation && { aggregate, conversation, stored, previous };
}

/** The same for a conversation that was taken from the contact in whose partition it is. */
async function findElsewhere(
  table: TableReader,
  homeId: string,
  scope: Scope,
  id: string,
  wanted: Wanted,
): Promise<FoundMessage | undefined> {
  const conversations = await table.list(conversationRange(homeId));
  const taken = new Set(conversations.map(({ data }) => data.contactId));
  taken.delete(homeId);
  for (const contactId of taken) {
    const aggregate = await readAggregate(table, contactId);
    const found = aggregate && (await findIn(table, aggregate, scope, id, wanted));
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
