import { isDeepStrictEqual } from 'node:util';
import { isUnassigned, type StoredContact } from '../contacts/contact.ts';
import { conversationPeople, inboxEntryKey } from '../conversations/conversation.ts';
import type { PersonalView, View } from '../organizations/views.ts';
import { involvedPeople } from '../organizations/visibility.ts';
import { joined, type Key } from '../table/key.ts';
import type { Action, TableWriter } from '../table/table.ts';
import {
  archivedApplicationKey,
  archivedEntryKey,
  boardEntryKey,
  toApplicationCard,
  toCard,
} from './card.ts';
import type { ContactState } from './contact-aggregate.ts';
import { type Counted, type CountedChange, counterActions } from './counter-actions.ts';
import { shardFor } from './counters.ts';

/** An item of a list that shows a contact, a conversation or an application. */
export interface Entry {
  readonly key: Key<unknown>;
  readonly data: unknown;
  /** Where a board counts it; inboxes have no counters. */
  readonly counted?: Counted;
}

/** All entries of a contact, its conversations and its applications. */
export function toEntries(state: ContactState): Entry[] {
  return state.contact.archivedAt === undefined
    ? [...boardEntries(state), ...inboxEntries(state)]
    : archivedEntries(state);
}

/** An archived contact is in one list, and in no inbox. Its applications are in none, but are counted, so that their stages stay. */
function archivedEntries({ contact, applications }: ContactState): Entry[] {
  const shard = shardFor(contact._id);
  const counted = ({ pipelineId, stageId }: Pick<Counted, 'pipelineId' | 'stageId'>): Counted => ({
    ...{ pipelineId, stageId, shard },
    view: ['archived'],
  });
  return [
    { key: archivedEntryKey(contact), data: toApplicationCard(contact), counted: counted(contact) },
    ...applications.map((application) => ({
      key: archivedApplicationKey(application),
      data: {},
      counted: counted(application),
    })),
  ];
}

function boardEntries({ contact, applications }: ContactState): Entry[] {
  const { _id: contactId, pipelineId, stageId } = contact;
  const card = toCard(contact);
  const shard = shardFor(contactId);
  return [
    ...viewsOf(contact).map((view) => ({
      key: boardEntryKey(stageId, view, contact),
      data: card,
      counted: {
        pipelineId,
        stageId,
        view,
        shard,
        ...(view[0] === 'all' ? { contactId } : {}),
      },
    })),
    ...applications.map((application) => ({
      key: boardEntryKey(application.stageId, ['all'], application),
      data: toApplicationCard(contact, application._id),
      counted: {
        pipelineId: application.pipelineId,
        stageId: application.stageId,
        view: ['all'] as const,
        // All in one shard: they change with the contact, and each counter is an action of that transaction.
        shard,
      },
    })),
  ];
}

function viewsOf(contact: StoredContact): View[] {
  const users = involvedPeople(contact).map((userId): View => ['user', userId]);
  return [['all'], ...users, ...(isUnassigned(contact) ? [['unassigned'] as const] : [])];
}

function inboxEntries({ contact, conversations }: ContactState): Entry[] {
  return conversations.flatMap((conversation) => {
    const people = conversationPeople(contact, conversation);
    const views: PersonalView[] = [['all'], ...people.map((userId): PersonalView => ['user', userId])];
    return views.map((view) => ({
      key: inboxEntryKey(view, conversation),
      data: view[0] === 'all' ? { ...conversation, people } : conversation,
    }));
  });
}

/**
 * The actions that change these entries, and their counters. `versionOf` tells the version of a contact's record afterwards; 0 if
 * deleted.
 */
export function entryActions(
  table: TableWriter,
  before: readonly Entry[],
  after: readonly Entry[],
  versionOf: (contactId: string) => number,
): Action[] {
  const had = new Map(before.map((entry) => [keyText(entry.key), entry]));
  const has = new Set(after.map(({ key }) => keyText(key)));
  const changed = after.filter(({ key, data }) => !isDeepStrictEqual(had.get(keyText(key))?.data, data));
  const gone = before.filter(({ key }) => !has.has(keyText(key)));
  // An application that becomes another contact's keeps its place on the board, and is counted with that contact.
  const elsewhere = changed.flatMap((entry) => {
    const former = had.get(keyText(entry.key));
    return former === undefined || isCountedIn(former, entry) ? [] : [former];
  });
  const counted = (entries: readonly Entry[], by: (entry: Entry) => CountedChange['by']) =>
    entries.flatMap((entry) =>
      entry.counted === undefined ? [] : [{ counted: entry.counted, by: by(entry) }],
    );
  return [
    ...changed.map(({ key, data }) => table.put(key, data)),
    ...gone.map(({ key }) => table.delete(key)),
    ...counterActions(
      table,
      [
        ...counted(changed, (entry) => (isCountedIn(had.get(keyText(entry.key)), entry) ? 0 : 1)),
        ...counted([...gone, ...elsewhere], () => -1),
      ],
      versionOf,
    ),
  ];
}

/** Whether an entry was there before and is counted in the same shard. */
const isCountedIn = (former: Entry | undefined, entry: Entry) =>
  former !== undefined && former.counted?.shard === entry.counted?.shard;

/** A text that identifies a key. */
export function keyText({ partition, sort }: Key<unknown>): string {
  return `${joined(partition)} ${joined(sort)}`;
}
