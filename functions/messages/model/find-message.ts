import { type ContactAggregate, readAggregate } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { canSeeConversation } from '../../../shared/contact-aggregate/find-conversation.ts';
import { contactIdIn } from '../../../shared/contacts/contact.ts';
import { type Conversation, type Message, messageKey } from '../../../shared/conversations/conversation.ts';
import { findMessageBefore } from '../../../shared/conversations/message-before.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { notFound } from '../../../shared/kernel/failure.ts';
import { readScope } from '../../../shared/organizations/visibility.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';

/** A message with its conversation and the aggregate of its contact, for a change. */
export interface FoundMessage {
  readonly aggregate: ContactAggregate;
  readonly conversation: Conversation;
  readonly stored: Stored<Message>;
  /** If it is the last message of the conversation: the one before it, if there is one. */
  readonly previous: Stored<Message> | undefined;
}

/** The message with this id, in two round trips. @throws a 404 `Failure` if the caller may not see its conversation. */
export async function findMessage(table: TableReader, caller: Caller, id: string): Promise<FoundMessage> {
  const contactId = contactIdIn(id);
  const [aggregate, scope] = await Promise.all([readAggregate(table, contactId), readScope(caller, table)]);
  if (aggregate === undefined) {
    throw notFound('Message');
  }
  const contact = aggregate.contact.data;
  const conversations = aggregate.conversations
    .map(({ data }) => data)
    .filter((conversation) => canSeeConversation(scope, contact, conversation));
  const ending = conversations.find(({ lastMessageId }) => lastMessageId === id);
  const [messages, previous] = await Promise.all([
    table.readMany(conversations.map(({ _id }) => messageKey(contactId, _id, id))),
    ending && findMessageBefore(table, { _id: id, contactId, conversationId: ending._id }),
  ]);
  const stored = messages.find((message) => message !== undefined);
  const conversation = conversations.find(({ _id }) => _id === stored?.data.conversationId);
  if (stored === undefined || conversation === undefined) {
    throw notFound('Message');
  }
  return { aggregate, conversation, stored, previous };
}
