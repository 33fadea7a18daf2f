import { applicationKey } from '../../../../shared/contact-aggregate/application.ts';
import type {
  ContactAggregate,
  ContactState,
} from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import { toContactState } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import { changedChildActions, digestAfter } from '../../../../shared/contact-aggregate/contact-writes.ts';
import { entryActions, keyText, toEntries } from '../../../../shared/contact-aggregate/entries.ts';
import { emailEntry } from '../../../../shared/contact-aggregate/lookup-actions.ts';
import { releaseAction } from '../../../../shared/contact-aggregate/number-locks.ts';
import { removedContactActions } from '../../../../shared/contact-aggregate/removed-contacts.ts';
import { statedConsent } from '../../../../shared/contacts/consent.ts';
import {
  contactKey,
  contactSenders,
  externalIds,
  type StoredContact,
} from '../../../../shared/contacts/contact.ts';
import { externalIdLockKey } from '../../../../shared/contacts/lookup-keys.ts';
import { numberLockName, phoneLockKey } from '../../../../shared/contacts/phone-numbers.ts';
import { conversationKey } from '../../../../shared/conversations/conversation.ts';
import { toDigest } from '../../../../shared/table/digest.ts';
import { type Action, firstVersion, type TableWriter } from '../../../../shared/table/table.ts';

/**
 * The actions that write several contacts at once, between which conversations, applications, numbers and ids of other systems move. What
 * both together had, both together have afterwards: nothing of it is new.
 * @param restored the versions of contacts that are there again, which index and counters have seen before.
 */
export function jointActions(
  table: TableWriter,
  before: readonly ContactAggregate[],
  after: readonly ContactState[],
  restored: ReadonlyMap<string, number> = new Map(),
): Action[] {
  const had = {
    conversations: before.flatMap(({ conversations }) => conversations),
    applications: before.flatMap(({ applications }) => applications),
  };
  const known = new Map(before.map(({ contact }) => [contact.data._id, contact]));
  const kept = new Set(after.map(({ contact }) => contact._id));
  // Also of one that goes: it may come back, and an index would not take back what it knows to be deleted.
  const versionOf = (contactId: string) =>
    (known.get(contactId)?.version ?? (restored.get(contactId) ?? firstVersion) - 1) + 1;
  return [
    ...after.map((state) => {
      const { childrenDigest: _, ...rest } = state.contact;
      const childrenDigest = digestAfter(had, state);
      const contact: StoredContact = childrenDigest === undefined ? rest : { ...rest, childrenDigest };
      const stored = known.get(contact._id);
      return stored === undefined
        ? table.add(contactKey(contact._id), contact, { version: versionOf(contact._id) })
        : table.replace(stored, contact);
    }),
    ...before
      .filter(({ contact }) => !kept.has(contact.data._id))
      .map(({ contact: { key, version } }) => table.delete(key, { ifVersion: version })),
    ...before.flatMap(({ contact: stored }) => {
      const next = after.find(({ contact }) => contact._id === stored.data._id)?.contact;
      return removedContactActions(table, stored, next, next ? undefined : after[0]?.contact._id);
    }),
    ...changedChildActions(
      table,
      had.conversations,
      after.flatMap(({ conversations }) => conversations),
      conversationKey,
    ),
    ...changedChildActions(
      table,
      had.applications,
      after.flatMap(({ applications }) => applications),
      applicationKey,
    ),
    ...entryActions(
      table,
      before.flatMap((aggregate) => toEntries(toContactState(aggregate))),
      after.flatMap(toEntries),
      versionOf,
    ),
    ...foundByActions(
      table,
      before.map(({ contact }) => contact.data),
      after.map(({ contact }) => contact),
    ),
  ];
}

/** The actions that change what finds the contacts: numbers and other addresses, ids of other systems, email addresses. */
function foundByActions(
  table: TableWriter,
  before: readonly StoredContact[],
  after: readonly StoredContact[],
): Action[] {
  const numbers = (contact: StoredContact) =>
    contactSenders(contact).map((address) => [numberLockName(address), address] as const);
  const ids = (contact: StoredContact) => externalIds(contact).map((id) => [id, id] as const);
  const [hadNumbers, hasNumbers] = [holders(before, numbers), holders(after, numbers)];
  const [hadIds, hasIds] = [holders(before, ids), holders(after, ids)];
  const [wasUnder, isUnder] = [emailEntries(before), emailEntries(after)];
  return [
    ...[...hadNumbers]
      .filter(([name]) => !hasNumbers.has(name))
      .map(([, { contact, value }]) => releaseAction(table, value, statedConsent(contact, value))),
    ...changedHolders(hadNumbers, hasNumbers).map(({ from, to, value }) =>
      table.updateAction(phoneLockKey(value), {
        update: 'SET contactId = :to ADD version :one',
        when: 'contactId = :from',
        values: { from, to, one: 1 },
      }),
    ),
    // Whoever has the id is among these contacts, whose versions are required.
    ...changedHolders(hadIds, hasIds).map(({ to, value }) =>
      table.put(externalIdLockKey(toDigest(value)), { contactId: to }),
    ),
    ...[...wasUnder].filter(([name]) => !isUnder.has(name)).map(([, { key }]) => table.delete(key)),
    ...[...isUnder]
      .filter(([name]) => !wasUnder.has(name))
      .map(([, { key, contactId }]) => table.put(key, { contactId })),
  ];
}

interface Holding {
  readonly contact: StoredContact;
  readonly value: string;
}

const holders = (
  contacts: readonly StoredContact[],
  named: (contact: StoredContact) => readonly (readonly [name: string, value: string])[],
): Map<string, Holding> =>
  new Map(
    contacts.flatMap((contact) => named(contact).map(([name, value]) => [name, { contact, value }] as const)),
  );

const changedHolders = (had: ReadonlyMap<string, Holding>, has: ReadonlyMap<string, Holding>) =>
  [...has].flatMap(([name, { contact, value }]) => {
    const former = had.get(name)?.contact._id;
    return former === undefined || former === contact._id ? [] : [{ from: former, to: contact._id, value }];
  });

const emailEntries = (contacts: readonly StoredContact[]) =>
  new Map(
    contacts.flatMap((contact) => {
      const key = emailEntry(contact);
      return key === undefined ? [] : [[keyText(key), { key, contactId: contact._id }] as const];
    }),
  );
