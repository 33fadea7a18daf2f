import type { StoredApplication } from '../applications/application.ts';
import { applicationRange } from '../applications/application.ts';
import type { StoredContact } from '../contacts/contact.ts';
import { contactKey } from '../contacts/contact.ts';
import { phoneLockKey } from '../contacts/phone-numbers.ts';
import type { Conversation } from '../conversations/conversation.ts';
import { conversationRange } from '../conversations/conversation.ts';
import type { Caller } from '../kernel/caller.ts';
import { notFound } from '../kernel/failure.ts';
import { digestOf } from '../table/digest.ts';
import { type Stored, type TableReader, VersionConflict } from '../table/table.ts';
import { peopleOf, scopeOf, sees } from '../visibility.ts';

/**
 * A contact with its conversations and applications, which lists show together. Whatever changes one of them writes the contact's record too, so
 * that the contact's version guards them all.
 */
export interface ContactState {
  readonly contact: StoredContact;
  readonly conversations: readonly Conversation[];
  readonly applications: readonly StoredApplication[];
}

/** The same as read, with the versions by which a change of it is conditioned. */
export interface ContactAggregate {
  readonly contact: Stored<StoredContact>;
  readonly conversations: readonly Stored<Conversation>[];
  readonly applications: readonly Stored<StoredApplication>[];
}

/** What an aggregate holds. */
export function stateOf({ contact, conversations, applications }: ContactAggregate): ContactState {
  return {
    contact: contact.data,
    conversations: conversations.map(({ data }) => data),
    applications: applications.map(({ data }) => data),
  };
}

/**
 * A digest of conversations and applications, each at its version; undefined for none. The contact's record holds it: so whoever
 * reads them beside the contact knows that they belong together, and the contact's version alone tells of every change.
 */
export function childrenDigestOf(
  children: readonly { readonly id: string; readonly version: number }[],
): string | undefined {
  const texts = children.map(({ id, version }) => `${id} ${version}`).sort();
  return texts.length === 0 ? undefined : digestOf(texts.join()).slice(0, 16);
}

/** The first two of these reads may meet a change half way: then the digest on the contact is of others. */
const readings = 3;

/** A contact with its conversations and applications, in one round trip; undefined when there is no such contact. */
export async function aggregateOf(
  table: TableReader,
  contactId: string,
): Promise<ContactAggregate | undefined> {
  for (let reading = 0; reading < readings; reading += 1) {
    const [contact, conversations, applications] = await Promise.all([
      table.read(contactKey(contactId)),
      table.list(conversationRange(contactId)),
      table.list(applicationRange(contactId)),
    ]);
    if (contact === undefined) {
      return undefined;
    }
    const children = [...conversations, ...applications];
    if (
      contact.data.childrenDigest ===
      childrenDigestOf(children.map(({ data, version }) => ({ id: data._id, version })))
    ) {
      return { contact, conversations, applications };
    }
  }
  throw new VersionConflict();
}

/** The aggregate of a contact that the caller may see. @throws the 404 of a missing one otherwise. */
export async function findAggregate(
  table: TableReader,
  caller: Caller,
  contactId: string,
): Promise<ContactAggregate> {
  const [aggregate, scope] = await Promise.all([aggregateOf(table, contactId), scopeOf(caller, table)]);
  if (aggregate === undefined || !sees(scope, peopleOf(aggregate.contact.data))) {
    throw notFound('Contact');
  }
  return aggregate;
}

/**
 * The aggregate of the contact that has this phone number (E.164); undefined when nobody has it.
 * @throws `VersionConflict` when the contact goes away at this moment.
 */
export async function aggregateByPhone(
  table: TableReader,
  value: string,
): Promise<ContactAggregate | undefined> {
  const lock = await table.read(phoneLockKey(value));
  if (lock === undefined) {
    return undefined;
  }
  const aggregate = await aggregateOf(table, lock.data.contactId);
  if (aggregate === undefined) {
    throw new VersionConflict();
  }
  return aggregate;
}
