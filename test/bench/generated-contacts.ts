import type { NumberSource } from '../../infra/local/seed/phone-numbers.ts';
import {
  type SeedContact,
  type SeedContactOptions,
  seedContacts,
} from '../../infra/local/seed/seed-contacts.ts';
import { moved, newContact, type StoredContact } from '../../shared/contacts/contact.ts';
import type { StagePlace } from '../../shared/contacts/stages.ts';
import { timestamp } from '../../shared/kernel/time.ts';

export interface GeneratedContactOptions extends Pick<SeedContactOptions, 'count' | 'seed' | 'now'> {
  readonly organizationId: string;
  /** The stages of one pipeline, in order. */
  readonly stages: readonly StagePlace[];
  /** Ids of the users who create, own and are assigned to contacts; the first one imports some in bulk. */
  readonly users: readonly string[];
}

/** Yields contacts as the operations would have left them, the oldest first, except for imported ones. */
export function* generatedContacts(
  wanted: GeneratedContactOptions,
): Generator<StoredContact, void, undefined> {
  const { stages, users } = wanted;
  const more = {
    stages: stages.length,
    importer: users[0] ?? '',
    newestAge: 0,
    numbers: unassignedNumbers(),
  };
  for (const seedContact of seedContacts({ ...wanted, ...more })) {
    yield contactOf(seedContact, wanted);
  }
}

function contactOf(
  { _id, createdAt, createdBy, fields, move, lastMessage }: SeedContact,
  { organizationId, stages }: GeneratedContactOptions,
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

/** A billion numbers of a country code that no country has: there are more contacts than numbers reserved for fiction. */
function unassignedNumbers(): NumberSource {
  let index = 0;
  return () => {
    index += 1;
    return `+999${String((index * 617_441) % 1_000_000_000).padStart(9, '0')}`;
  };
}
