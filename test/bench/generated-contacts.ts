import { type Newcomer, type NewcomersWanted, newcomers } from '../../infra/local/seed/newcomers.ts';
import { moved, newContact, type StoredContact } from '../../shared/contacts/contact.ts';
import type { StagePlace } from '../../shared/pipelines/stages.ts';
import { timestamp } from '../../shared/time.ts';

export interface ContactsWanted extends Omit<NewcomersWanted, 'stages'> {
  readonly organizationId: string;
  /** Of one pipeline, in its order. */
  readonly stages: readonly StagePlace[];
}

/** Contacts as operations would have left them, one at a time; the oldest first, but for those of imports. */
export function* generatedContacts(wanted: ContactsWanted): Generator<StoredContact, void, undefined> {
  for (const newcomer of newcomers({ ...wanted, stages: wanted.stages.length })) {
    yield contactOf(newcomer, wanted);
  }
}

function contactOf(
  { _id, createdAt, createdBy, fields, move, lastMessage }: Newcomer,
  { organizationId, stages }: ContactsWanted,
): StoredContact {
  const creator = { userId: createdBy, organizationId, homeOrganizationId: organizationId };
  const contact = newContact(_id, creator, placeAt(stages, 0), fields, timestamp(createdAt));
  const there =
    move === undefined ? contact : moved(contact, placeAt(stages, move.stage), timestamp(move.at));
  return lastMessage === undefined
    ? there
    : {
        ...there,
        lastMessageAt: timestamp(lastMessage.at),
        lastMessageDirection: lastMessage.direction,
        conversationAssignees: lastMessage.assignees,
      };
}

function placeAt(stages: readonly StagePlace[], index: number): StagePlace {
  const place = stages[index];
  if (place === undefined) {
    throw new Error('Contacts need a stage to be in');
  }
  return place;
}
