import { isDeepStrictEqual } from 'node:util';
import { applicationKey } from '../applications/application.ts';
import { entriesOf, entrySteps } from '../board/entries.ts';
import type { StoredContact } from '../contacts/contact.ts';
import { contactKey } from '../contacts/contact.ts';
import { phoneLockKey, phoneTakenBy } from '../contacts/phone-numbers.ts';
import { conversationKey } from '../conversations/conversation.ts';
import { Failure } from '../kernel/failure.ts';
import type { GuardCondition } from '../pipelines/stages.ts';
import type { Key } from '../table/key.ts';
import { type Step, type Stored, type TableWriter, VersionConflict } from '../table/table.ts';
import { type ContactAggregate, type ContactState, childrenDigestOf, stateOf } from './contact-aggregate.ts';

/**
 * A contact, its conversations and its applications have an entry under each view that shows them, beside counters that
 * make the board's totals exact without counting. All of it changes in the transaction that changes the records.
 */

/**
 * Of the 100 steps of a transaction, those that the aggregate's writes may take; the rest is for what the operation adds. To a deletion that is
 * little, and even a contact that has as many of everything as it may have must be deletable.
 */
const mostSteps = { writing: 85, deleting: 95 };

export interface ContactWriteOptions {
  /** What is required of the stage that the contact enters; that it is open, unless stated. */
  guard?: GuardCondition;
  /** Somebody else has the number already: an error for the caller unless finding that contact is what is wanted. */
  phoneTaken?: 'refuse' | 'look again';
}

/**
 * The steps that write `after` in place of what was read: the records, their entries and counters, and the locks of phone
 * numbers. `before` is undefined for a new contact, `after` for one to be deleted, whose notes, messages and so on are swept later.
 * @throws a 400 `Failure` for more than fits into one transaction.
 */
export function contactWrites(
  table: TableWriter,
  before: ContactAggregate | undefined,
  after: ContactState | undefined,
  { guard, phoneTaken = 'refuse' }: ContactWriteOptions = {},
): Step[] {
  const was = before && stateOf(before);
  const steps = [
    ...contactSteps(table, before, after),
    ...childSteps(table, before, after),
    ...entrySteps(table, was ? entriesOf(was) : [], after ? entriesOf(after, guard) : []),
    ...phoneLockSteps(table, was?.contact, after?.contact, phoneTaken),
  ];
  if (steps.length > (after === undefined ? mostSteps.deleting : mostSteps.writing)) {
    throw new Failure(
      'INVALID',
      'This update is too large. Change assignees and phone numbers in separate requests.',
    );
  }
  return steps;
}

/** The contact is written whatever changed, so that its version tells of every change. */
function contactSteps(
  table: TableWriter,
  before: ContactAggregate | undefined,
  after: ContactState | undefined,
): Step[] {
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

/** The digest of the children once they are stored. */
function digestAfter(before: ContactAggregate | undefined, after: ContactState): string | undefined {
  const was = [...(before?.conversations ?? []), ...(before?.applications ?? [])];
  const had = new Map(was.map((stored) => [stored.data._id, stored]));
  const has = [...after.conversations, ...after.applications];
  return childrenDigestOf(
    has.map((data) => ({ id: data._id, version: versionAfter(had.get(data._id), data) })),
  );
}

/** The version of a record once `data` is stored: of one that says so already, its own. */
function versionAfter<Data>(stored: Stored<Data> | undefined, data: Data): number {
  if (stored === undefined) {
    return 1;
  }
  return isDeepStrictEqual(stored.data, data) ? stored.version : stored.version + 1;
}

/** Conversations and applications that are new, changed or gone. */
function childSteps(
  table: TableWriter,
  before: ContactAggregate | undefined,
  after: ContactState | undefined,
): Step[] {
  const had = before ?? { conversations: [], applications: [] };
  const has = after ?? { conversations: [], applications: [] };
  const contactId = (after?.contact ?? before?.contact.data)?._id ?? '';
  return [
    ...changesOf(table, had.conversations, has.conversations, (id) => conversationKey(contactId, id)),
    ...changesOf(table, had.applications, has.applications, (id) => applicationKey(contactId, id)),
  ];
}

function changesOf<Data extends { _id: string }>(
  table: TableWriter,
  before: readonly Stored<Data>[],
  after: readonly Data[],
  keyOf: (id: string) => Key<Data>,
): Step[] {
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

/** A phone number belongs to one contact of the organization. Source: decisions 6, "Phone numbers". */
function phoneLockSteps(
  table: TableWriter,
  before: StoredContact | undefined,
  after: StoredContact | undefined,
  phoneTaken: 'refuse' | 'look again',
): Step[] {
  const had = new Set(before?.phoneNumbers.map(({ value }) => value));
  const has = new Set(after?.phoneNumbers.map(({ value }) => value));
  const contactId = after?._id ?? '';
  return [
    ...[...had].filter((value) => !has.has(value)).map((value) => table.delete(phoneLockKey(value))),
    ...[...has]
      .filter((value) => !had.has(value))
      .map((value) =>
        table.add(
          phoneLockKey(value),
          { contactId },
          {
            otherwise: (taken) =>
              phoneTaken === 'look again' ? new VersionConflict() : phoneTakenBy(taken.contactId),
          },
        ),
      ),
  ];
}
