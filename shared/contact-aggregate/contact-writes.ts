import { isDeepStrictEqual } from 'node:util';
import { contactKey, type StoredContact } from '../contacts/contact.ts';
import { conversationKey } from '../conversations/conversation.ts';
import { Failure } from '../kernel/failure.ts';
import { latest, timestamp } from '../kernel/time.ts';
import type { Key } from '../table/key.ts';
import type { Action, Stored, TableWriter } from '../table/table.ts';
import { applicationKey } from './application.ts';
import { toCard } from './card.ts';
import {
  type ContactAggregate,
  type ContactState,
  digestChildren,
  toContactState,
} from './contact-aggregate.ts';
import { entryActions, toEntries } from './entries.ts';
import { lookupActions } from './lookup-actions.ts';
import { type LockOptions, numberLockActions } from './number-locks.ts';
import { removedContactActions } from './removed-contacts.ts';

/**
 * A contact, its conversations and its applications have an entry in each view that shows them, and counters that make the
 * board's totals exact without counting. All of these change in the transaction that changes the records.
 */

/** The writes take at most this many of the 100 actions that a transaction can have; the rest is for the operation. */
const maxActions = 85;

/**
 * The actions that write the change: the records, their entries and counters, and what finds them: the locks of phone numbers among others. `before` is undefined
 * for a new contact.
 * @throws a 400 `Failure` for more than fits into one transaction.
 */
export function contactWrites(
  table: TableWriter,
  before: ContactAggregate | undefined,
  after: ContactState,
  options: LockOptions = {},
): Action[] {
  const actions = aggregateActions(table, before, after, options);
  if (actions.length > maxActions) {
    throw new Failure(
      'INVALID',
      'This update is too large. Change assignees and phone numbers in separate requests.',
    );
  }
  return actions;
}

/** The same actions without that limit; the contact after the change is undefined for a deleted one. */
export function aggregateActions(
  table: TableWriter,
  before: ContactAggregate | undefined,
  sent: ContactState | undefined,
  options: LockOptions = {},
): Action[] {
  const was = before && toContactState(before);
  const after = sent && withUpdateTime(was?.contact, sent, table.now);
  return [
    ...contactActions(table, before, after),
    ...removedContactActions(table, before?.contact, after?.contact),
    ...childActions(table, before, after),
    ...entryActions(table, was ? toEntries(was) : [], after ? toEntries(after) : [], () =>
      after ? (before?.contact.version ?? 0) + 1 : 0,
    ),
    ...numberLockActions(table, was?.contact, after?.contact, options),
    ...lookupActions(table, was?.contact, after?.contact, options),
  ];
}

/**
 * A contact whose card changes is updated when the invocation begins that writes it, however long ago that came in which changes it: whoever
 * reads contacts in the order of their updates misses none. The time never goes back.
 */
function withUpdateTime(before: StoredContact | undefined, after: ContactState, now: Date): ContactState {
  const { contact } = after;
  const isSame =
    before !== undefined &&
    before.stageId === contact.stageId &&
    isDeepStrictEqual(toCard(before), toCard(contact));
  const updatedAt = isSame
    ? contact.updatedAt
    : latest(contact.updatedAt, timestamp(now), before?.updatedAt ?? '');
  return updatedAt === contact.updatedAt ? after : { ...after, contact: { ...contact, updatedAt } };
}

/** The contact is always written, so that every change raises its version. */
function contactActions(
  table: TableWriter,
  before: ContactAggregate | undefined,
  after: ContactState | undefined,
): Action[] {
  if (after === undefined) {
    return before === undefined
      ? []
      : [table.delete(before.contact.key, { ifVersion: before.contact.version })];
  }
  const { childrenDigest: _, ...rest } = after.contact;
  const childrenDigest = digestAfter(before, after);
  const contact: StoredContact = childrenDigest === undefined ? rest : { ...rest, childrenDigest };
  return [
    before === undefined
      ? table.add(contactKey(contact._id), contact)
      : table.replace(before.contact, contact),
  ];
}

/** The digest of the children after the write. */
export function digestAfter(
  before: Pick<ContactAggregate, 'conversations' | 'applications'> | undefined,
  after: ContactState,
): string | undefined {
  const was = [...(before?.conversations ?? []), ...(before?.applications ?? [])];
  const had = new Map(was.map((stored) => [stored.data._id, stored]));
  const has = [...after.conversations, ...after.applications];
  return digestChildren(
    has.map((data) => ({ id: data._id, version: versionAfter(had.get(data._id), data) })),
  );
}

/** The version of a record after the write; unchanged if `data` is. */
function versionAfter<Data>(stored: Stored<Data> | undefined, data: Data): number {
  if (stored === undefined) {
    return 1;
  }
  return isDeepStrictEqual(stored.data, data) ? stored.version : stored.version + 1;
}

/** Writes new and changed conversations and applications, and deletes missing ones. */
function childActions(
  table: TableWriter,
  before: ContactAggregate | undefined,
  after: ContactState | undefined,
): Action[] {
  const had = before ?? { conversations: [], applications: [] };
  const has = after ?? { conversations: [], applications: [] };
  return [
    ...changedChildActions(table, had.conversations, has.conversations, conversationKey),
    ...changedChildActions(table, had.applications, has.applications, applicationKey),
  ];
}

/** The actions that write new and changed children, and delete missing ones. */
export function changedChildActions<Data extends { _id: string }>(
  table: TableWriter,
  before: readonly Stored<Data>[],
  after: readonly Data[],
  keyOf: (id: string) => Key<Data>,
): Action[] {
  const had = new Map(before.map((stored) => [stored.data._id, stored]));
  const kept = new Set(after.map(({ _id }) => _id));
  return [
    ...after.flatMap((data) => {
      const stored = had.get(data._id);
      if (stored === undefined) {
        return [table.add(keyOf(data._id), data)];
      }
      return versionAfter(stored, data) === stored.version ? [] : [table.replace(stored, data)];
    }),
    ...before
      .filter(({ data }) => !kept.has(data._id))
      .map((stored) => table.delete(stored.key, { ifVersion: stored.version })),
  ];
}
