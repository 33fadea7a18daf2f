import { type ContactAggregate, stateOf } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../../shared/contact-aggregate/contact-writes.ts';
import { createContactWrites } from '../../../shared/contact-aggregate/create-contact-writes.ts';
import { touchContact } from '../../../shared/contact-aggregate/touch-contact.ts';
import { childId } from '../../../shared/contacts/child-id.ts';
import { newContact, type StoredContact } from '../../../shared/contacts/contact.ts';
import { placeholderFields } from '../../../shared/contacts/placeholder-contact.ts';
import type { Direction } from '../../../shared/conversations/conversation.ts';
import { conversationKey } from '../../../shared/conversations/conversation.ts';
import {
  conversationOn,
  newConversation,
  withConversation,
} from '../../../shared/conversations/correspondence.ts';
import { type Caller, userHere } from '../../../shared/kernel/caller.ts';
import type { NewEvent } from '../../../shared/live/outbox.ts';
import { entryStage } from '../../../shared/pipelines/entry-stage.ts';
import type { Pipeline } from '../../../shared/pipelines/pipeline.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import type { Timestamp } from '../../../shared/time.ts';

/** The other side of a call: a contact and its voice conversation. */
export interface Counterparty {
  readonly contact: StoredContact;
  readonly conversationId: string;
  /** What the call's transaction needs to find them there, or to leave them there. */
  readonly steps: readonly Step[];
  readonly events: readonly NewEvent[];
}

/** Identifiers that every try of a call keeps. */
export interface CounterpartyIds {
  readonly contact: string;
  readonly conversation: string;
}

/**
 * A contact who is called or calls. With a voice conversation already it is not rewritten, so that calls at the same moment
 * do not wait for each other.
 */
export function knownCounterparty(
  table: TableWriter,
  aggregate: ContactAggregate,
  caller: Caller,
  ids: CounterpartyIds,
  at: Timestamp,
): Counterparty {
  const state = stateOf(aggregate);
  const { contact } = state;
  const had = conversationOn(state, 'voice');
  if (had !== undefined) {
    // A contact is deleted with its conversations: the first step fails for both, and the number is looked up again.
    const steps = [
      table.require(conversationKey(contact._id, had._id), { when: 'attribute_exists(pk)' }),
      touchContact(table, contact._id),
    ];
    return { contact, conversationId: had._id, steps, events: [] };
  }
  const conversation = voiceConversation(contact, caller, ids, at);
  const steps = contactWrites(table, aggregate, withConversation(state, conversation));
  return { contact, conversationId: conversation._id, steps, events: [] };
}

/**
 * Somebody of whom nothing but the number is known: a new contact, in the stage of `entryStage`.
 * @throws a 404 `Failure` without any Contact pipeline.
 */
export function newCounterparty(
  table: TableWriter,
  { direction, number }: { direction: Direction; number: string },
  pipelines: readonly Pipeline[],
  caller: Caller,
  ids: CounterpartyIds,
  at: Timestamp,
): Counterparty {
  const { guard, ...place } = entryStage(pipelines);
  const contact = newContact(ids.contact, caller, place, placeholderFields(`${direction} call`, number), at);
  const conversation = voiceConversation(contact, caller, ids, at);
  const state = { contact, conversations: [conversation], applications: [] };
  const { steps, event } = createContactWrites(table, state, { guard }, pipelines);
  return { contact, conversationId: conversation._id, steps, events: [event] };
}

/** The caller's, who may be no user here: then it is nobody's. */
function voiceConversation(contact: StoredContact, caller: Caller, ids: CounterpartyIds, at: Timestamp) {
  return newConversation(childId(contact._id, ids.conversation), contact, 'voice', userHere(caller), at);
}
