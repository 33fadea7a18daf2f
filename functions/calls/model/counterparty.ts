import {
  type ContactAggregate,
  type ContactState,
  conversationOn,
  toContactState,
  withConversation,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../../shared/contact-aggregate/contact-writes.ts';
import type { WritableContact } from '../../../shared/contact-aggregate/find-or-create-contact.ts';
import { touchContact } from '../../../shared/contact-aggregate/touch-contact.ts';
import { contactExists } from '../../../shared/contacts/contact.ts';
import {
  type Conversation,
  conversationKey,
  newConversation,
} from '../../../shared/conversations/conversation.ts';
import type { NewEvent } from '../../../shared/events/outbox.ts';
import { childId } from '../../../shared/kernel/child-id.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/** The contact on the other end of a call, as the call leaves it. */
export interface Counterparty {
  readonly state: ContactState;
  readonly conversationId: string;
  /** The voice conversation, if it begins with the call. */
  readonly newConversation?: Conversation;
  /** The actions that store it as `after`, and the event for one that is new or restored. */
  writes(after: ContactState): { readonly actions: readonly Action[]; readonly events: readonly NewEvent[] };
}

/**
 * The contact of a new call with this number, with its voice conversation, which `owner` gets if there is none. A contact that already has one is not
 * written again, so that simultaneous calls do not conflict.
 */
export function toCounterparty(
  table: TableWriter,
  contact: WritableContact,
  { owner, number }: { readonly owner: string | null; readonly number: string | undefined },
  newId: string,
  at: Timestamp,
): Counterparty {
  const { _id: contactId } = contact.state.contact;
  const known = conversationOn(contact.state, 'voice', number);
  if (known === undefined) {
    const conversationId = childId(contactId, newId);
    const conversation = newConversation(conversationId, contact.state.contact, 'voice', owner, at);
    const state = withConversation(contact.state, conversation);
    return { ...contact, conversationId, state, newConversation: conversation };
  }
  return {
    conversationId: known._id,
    state: contact.state,
    writes: (after) =>
      after === contact.state && !contact.isRestored
        ? {
            // A contact is deleted with its conversations: the first action fails for both, and the number is looked up again.
            actions: [
              table.require(conversationKey(known._id), { when: 'attribute_exists(pk)' }),
              touchContact(table, contactId),
            ],
            events: [],
          }
        : contact.writes(after),
  };
}

/** The contact of a call that exists. */
export function knownCounterparty(
  table: TableWriter,
  aggregate: ContactAggregate,
  conversationId: string,
): Counterparty {
  const state = toContactState(aggregate);
  return {
    state,
    conversationId,
    writes: (after) => ({
      actions:
        after === state ? [contactExists(table, state.contact._id)] : contactWrites(table, aggregate, after),
      events: [],
    }),
  };
}
