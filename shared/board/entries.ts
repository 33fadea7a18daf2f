import { applicationEntryKey } from '../applications/application.ts';
import type { ContactState } from '../contact-aggregate/contact-aggregate.ts';
import { isUnassigned, type StoredContact } from '../contacts/contact.ts';
import { conversationPeople, inboxEntryKey } from '../conversations/conversation.ts';
import type { Key } from '../table/key.ts';
import { joined } from '../table/key.ts';
import type { PersonalView, View } from '../views.ts';
import { peopleOf } from '../visibility.ts';
import { applicationCardOf, boardEntryKey, cardOf } from './card.ts';

/** Counters are split, since transactions that meet on one item cancel each other. */
export const counterShards = 8;

/** A record always counts in the same shard, so that no shard ever falls below zero. */
export function shardOf(id: string): number {
  let hash = 0;
  for (const char of id) {
    hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  }
  return hash % counterShards;
}

/** The views of the board that show a contact. */
export function viewsOf(contact: StoredContact): View[] {
  const users = peopleOf(contact).map((userId): View => ['user', userId]);
  return [['all'], ...users, ...(isUnassigned(contact) ? [['unassigned'] as const] : [])];
}

/** One line of a list that shows a record. */
export interface Entry {
  readonly key: Key<unknown>;
  readonly data: unknown;
  /** The record that the entry shows. */
  readonly of: string;
  /** The board's column that counts it; inboxes count nothing. */
  readonly counted?: { readonly stageId: string; readonly view: View };
  /** What enters the stage by this entry; its counter is one of those that the stage's guard lies on. */
  readonly enters?: 'contact' | 'application' | undefined;
}

/** Every entry that lists a contact, its conversations or its applications, by where it lies. */
export function entriesOf(state: ContactState | undefined): Map<string, Entry> {
  const entries = state === undefined ? [] : [...boardEntries(state), ...inboxEntries(state)];
  return new Map(entries.map((entry) => [placeOf(entry.key), entry]));
}

/** A key as a text that no other has. */
export function placeOf({ partition, sort }: Key<unknown>): string {
  return `${joined(partition)} ${joined(sort)}`;
}

function boardEntries({ contact, applications }: ContactState): Entry[] {
  const card = cardOf(contact);
  return [
    ...viewsOf(contact).map((view) => ({
      key: boardEntryKey(contact.stageId, view, contact),
      data: card,
      of: contact._id,
      counted: { stageId: contact.stageId, view },
      enters: view[0] === 'all' ? ('contact' as const) : undefined,
    })),
    ...applications.map((application) => ({
      key: applicationEntryKey(application),
      data: applicationCardOf(contact),
      of: application._id,
      counted: { stageId: application.stageId, view: ['all'] as const },
      enters: 'application' as const,
    })),
  ];
}

function inboxEntries({ contact, conversations }: ContactState): Entry[] {
  return conversations.flatMap((conversation) => {
    const people = conversationPeople(contact, conversation);
    const views: PersonalView[] = [['all'], ...people.map((userId): PersonalView => ['user', userId])];
    return views.map((view) => ({
      key: inboxEntryKey(view, conversation),
      data: view[0] === 'all' ? { ...conversation, people } : conversation,
      of: conversation._id,
    }));
  });
}
