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

/** An item of a list that shows a contact, a conversation or an application. */
export interface Entry {
  readonly key: Key<unknown>;
  readonly data: unknown;
  /** The counter of the board's column; inboxes have none. */
  readonly counter?: Key<never>;
  /** The condition on the counter for adding the entry; the stage's guard is on this counter. */
  readonly guard?: GuardCondition;
}

/** All entries of a contact, its conversations and its applications; `guard` is for the contact's stage. */
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

/** A step for an entry, and the change of the entry's counter. */
interface EntryChange {
  readonly entry: Entry;
  readonly by: -1 | 0 | 1;
  readonly step: Step;
}

/** The steps that change these entries, and their counters. */
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
 * One step for each counter, because several applications of a contact may change the same one. An entry that is added requires
 * its stage's guard, even if another leaves at the same time. The version of a column increases with every change, so that a
 * cache knows when it is stale.
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

/** A text that identifies a key. */
export function placeOf({ partition, sort }: Key<unknown>): string {
  return `${joined(partition)} ${joined(sort)}`;
}
