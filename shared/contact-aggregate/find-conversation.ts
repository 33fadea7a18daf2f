import type { StoredContact } from '../contacts/contact.ts';
import { contactKey } from '../contacts/contact.ts';
import { readOwner } from '../contacts/holdings.ts';
import { type Conversation, conversationKey, conversationPeople } from '../conversations/conversation.ts';
import type { Caller } from '../kernel/caller.ts';
import { contactIdIn } from '../kernel/child-id.ts';
import { notFound } from '../kernel/failure.ts';
import { readScope, type Scope, sees } from '../organizations/visibility.ts';
import type { TableReader } from '../table/table.ts';
import { type ContactAggregate, readAggregateWith } from './contact-aggregate.ts';

/** Whether a conversation is in the scope: through its contact, its owner or its assignees. */
export function canSeeConversation(
  scope: Scope,
  contact: StoredContact,
  conversation: Conversation,
): boolean {
  return sees(scope, conversationPeople(contact, conversation));
}

/** A conversation that the caller may see; one round trip, unless its contact was merged or separated. @throws a 404 `Failure` otherwise. */
export async function findConversation(
  table: TableReader,
  caller: Caller,
  id: string,
): Promise<Conversation> {
  const [home, conversation, scope] = await Promise.all([
    table.read(contactKey(contactIdIn(id))),
    table.read(conversationKey(id)),
    readScope(caller, table),
  ]);
  const contact = await readOwner(table, conversation?.data, home);
  if (
    contact === undefined ||
    conversation === undefined ||
    !canSeeConversation(scope, contact.data, conversation.data)
  ) {
    throw notFound('Conversation');
  }
  return conversation.data;
}

/** A conversation with its contact's aggregate, for a change. @throws a 404 `Failure` if the caller may not see it. */
export async function findConversationAggregate(
  table: TableReader,
  caller: Caller,
  id: string,
): Promise<{ aggregate: ContactAggregate; conversation: Conversation }> {
  const [aggregate, scope] = await Promise.all([
    readAggregateWith(table, conversationKey(id)),
    readScope(caller, table),
  ]);
  const conversation = aggregate?.conversations.find(({ data }) => data._id === id)?.data;
  if (
    aggregate === undefined ||
    conversation === undefined ||
    !canSeeConversation(scope, aggregate.contact.data, conversation)
  ) {
    throw notFound('Conversation');
  }
  return { aggregate, conversation };
}
