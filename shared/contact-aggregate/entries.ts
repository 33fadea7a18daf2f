import { isDeepStrictEqual } from 'node:util';
import { applicationCardOf, boardCounterKey, boardEntryKey, cardOf, shardOf } from '../board/card.ts';
import { isUnassigned, type StoredContact } from '../contacts/contact.ts';
import { conversationPeople, inboxEntryKey } from '../conversations/conversation.ts';
import { type GuardCondition, stageIsOpen } from '../pipelines/stages.ts';
import type { Key } from '../table/key.ts';
import { joined } from '../table/key.ts';
import type { Step, TableWriter } from '../table/table.ts';
import type { PersonalView, View } from '../views.ts';
import { peopleOf } from '../visibility.ts';
import type { ContactState } from './contact-aggregate.ts';

/** One line of a list that shows a contact, a conversation or an application. */
export interface Entry {
  readonly key: Key<unknown>;
  readonly data: unknown;
  /** The counter of the board's column; inboxes count nothing. */
  readonly counter?: Key<never>;
  /** What the counter must satisfy for the entry to be added: it is one of those that the stage's guard lies on. */
  readonly guard?: GuardCondition;
}

/** Every entry that lists a contact, its conversations or its applications; `guard` is that of the contact's stage. */
export function entriesOf(state: ContactState, guard: GuardCondition = stageIsOpen): Entry[] {
  return [...boardEntries(state, guard), ...inboxEntries(state)];
}

function boardEntries({ contact, applications }: ContactState, guard: GuardCondition): Entry[] {
  const card = cardOf(contact);
  const shard = shardOf(contact._id);
  return [
    ...viewsOf(contact).map((view) => ({
      key: boardEntryKey(contact.stageId, view, contact),
      data: card,
      counter: boardCounterKey(contact.stageId, view, shard),
      ...(view[0] === 'all' ? { guard } : {}),
    })),
    ...applications.map((application) => ({
      key: boardEntryKey(application.stageId, ['all'], application),
      data: applicationCardOf(contact),
      counter: boardCounterKey(application.stageId, ['all'], shardOf(application._id)),
      guard: stageIsOpen,
    })),
  ];
}

/** The views of the board that show a contact. */
function viewsOf(contact: StoredContact): View[] {
  const users = peopleOf(contact).map((userId): View => ['user', userId]);
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

/** A step of an entry, and by how much it changes the entry's counter. */
interface EntryChange {
  readonly entry: Entry;
  readonly by: -1 | 0 | 1;
  readonly step: Step;
}

/** The steps that change these entries into those, and the counters beside them. */
export function entrySteps(table: TableWriter, before: readonly Entry[], after: readonly Entry[]): Step[] {
  const had = new Map(before.map((entry) => [placeOf(entry.key), entry]));
  const has = new Set(after.map(({ key }) => placeOf(key)));
  const changes = [
    ...after.flatMap((entry): EntryChange[] => {
      const former = had.get(placeOf(entry.key));
      return isDeepStrictEqual(former?.data, entry.data)
        ? []
        : [{ entry, by: former === undefined ? 1 : 0, step: table.put(entry.key, entry.data) }];
    }),
    ...before
      .filter(({ key }) => !has.has(placeOf(key)))
      .map((entry): EntryChange => ({ entry, by: -1, step: table.delete(entry.key) })),
  ];
  return [...changes.map(({ step }) => step), ...counterSteps(table, changes)];
}

/**
 * One step a counter, since several applications of a contact may count in the same one. Whatever enters a stage requires that
 * its guard lets it in, even where something else leaves at the same time. The version of a column rises with every change of
 * it, so that a cache can tell that it is stale.
 */
function counterSteps(table: TableWriter, changes: readonly EntryChange[]): Step[] {
  const counts = new Map<string, { counter: Key<never>; by: number; guard: GuardCondition | undefined }>();
  for (const { entry, by } of changes) {
    if (entry.counter !== undefined) {
      const place = placeOf(entry.counter);
      const { by: sum = 0, guard } = counts.get(place) ?? {};
      counts.set(place, { counter: entry.counter, by: sum + by, guard: by > 0 ? entry.guard : guard });
    }
  }
  return [...counts.values()].map(({ counter, by, guard }) =>
    table.updateStep(counter, {
      update: by === 0 ? 'ADD v :one' : 'ADD n :by, v :one',
      ...guard,
      values: { ...guard?.values, one: 1, ...(by === 0 ? {} : { by }) },
    }),
  );
}

/** A key as a text that no other has. */
export function placeOf({ partition, sort }: Key<unknown>): string {
  return `${joined(partition)} ${joined(sort)}`;
}
