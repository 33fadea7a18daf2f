import { type Consent, latestConsent, statedConsent } from '../contacts/consent.ts';
import { contactSenders, type StoredContact } from '../contacts/contact.ts';
import { numberLockName, phoneLockKey } from '../contacts/phone-numbers.ts';
import { Taken } from '../contacts/taken.ts';
import { type Action, type Stored, type TableWriter, VersionConflict } from '../table/table.ts';

/**
 * The lock of a number, or of another address that contacts write from, names the contact that has it. The consent of a number is part of
 * that contact's record, so that whoever sends a text reads nothing more. When a contact lets go of a number for which somebody stated a
 * consent, the lock keeps it, without the number itself, until another contact gets the number and takes it over: in both cases in the one
 * transaction that changes contact and lock. A number for which nobody has stated anything leaves no lock behind.
 */

/** The lock of a number that no contact has, with the consent that was last stated for it. */
export interface ReleasedLock {
  readonly consent: Consent;
  readonly version: number;
}

/** By number or address. An operation that finds more of them when it commits, adds them for its next attempt. */
export type ReleasedLocks = Map<string, ReleasedLock>;

type Attributes = Readonly<Record<string, unknown>>;

/** The contact that has the number of this lock; undefined if none has. */
export const lockHolder = (lock: Stored<never> | undefined): string | undefined => holderIn(lock?.attributes);

const holderIn = (attributes: Attributes | undefined) => attributes?.contactId as string | undefined;

/** Whether a contact, read after a lock that names it, still has that number. */
export const isHeldBy = (lock: Stored<never> | undefined, contact: StoredContact): boolean =>
  lock !== undefined &&
  contactSenders(contact).some((address) => numberLockName(address) === lock.key.partition[1]);

/** The lock of a number that no contact has; undefined if one has it, and for a number without a lock. */
export function releasedLock(lock: Stored<never> | undefined): ReleasedLock | undefined {
  return releasedIn(lock?.attributes);
}

function releasedIn(attributes: Attributes | undefined): ReleasedLock | undefined {
  const { consent, version } = attributes ?? {};
  return typeof consent === 'string'
    ? { consent: JSON.parse(consent) as Consent, version: Number(version) }
    : undefined;
}

/** The actions that change the locks with the numbers and the address of a contact. */
export function numberLockActions(
  table: TableWriter,
  before: StoredContact | undefined,
  after: StoredContact | undefined,
  options: LockOptions,
): Action[] {
  const [had, has] = [byLockName(before), byLockName(after)];
  return [
    ...[...had]
      .filter(([name]) => !has.has(name))
      .map(([, address]) => releaseAction(table, address, before && statedConsent(before, address))),
    ...[...has]
      .filter(([name]) => !had.has(name))
      .map(([, address]) => lockAction(table, address, after?._id ?? '', options)),
  ];
}

const byLockName = (contact: StoredContact | undefined) =>
  new Map(contact && contactSenders(contact).map((address) => [numberLockName(address), address]));

export interface LockOptions {
  /**
   * The numbers, addresses and the `externalId` by which the operation looked for the contact. If another contact has one of them by now, it is a
   * conflict that makes the operation find that contact; anything else that another one has is a `Taken`.
   */
  readonly sought?: readonly string[];
  /** Those among the new numbers that no contact has; for operations that give new numbers to contacts. */
  readonly released?: ReleasedLocks;
}

export function releaseAction(table: TableWriter, address: string, consent: Consent | undefined): Action {
  const key = phoneLockKey(address);
  return consent === undefined
    ? table.delete(key)
    : table.updateAction(key, {
        update: 'SET consent = :consent ADD version :one REMOVE contactId',
        values: { consent: JSON.stringify(consent), one: 1 },
      });
}

/** The action that records what was said about a number that no contact has. @throws `VersionConflict`, when committed, if one gets it. */
export function stateAction(
  table: TableWriter,
  address: string,
  lock: Stored<never> | undefined,
  said: Consent,
): Action {
  const consent = JSON.stringify(latestConsent(releasedLock(lock)?.consent, said));
  return table.updateAction(phoneLockKey(address), {
    update: 'SET consent = :consent ADD version :one',
    when: lock === undefined ? 'attribute_not_exists(pk)' : 'version = :version',
    values: { consent, one: 1, ...(lock && { version: lock.version }) },
  });
}

/** A number is unique within the organization. Source: decisions 6, "Phone numbers". */
function lockAction(
  table: TableWriter,
  address: string,
  contactId: string,
  { sought = [], released = new Map() }: LockOptions,
): Action {
  const known = released.get(address);
  return table.updateAction(phoneLockKey(address), {
    update: 'SET contactId = :contactId ADD version :one REMOVE consent',
    when: known === undefined ? 'attribute_not_exists(pk)' : 'version = :version',
    values: { contactId, one: 1, ...(known && { version: known.version }) },
    otherwise: (existing) => {
      const holder = holderIn(existing);
      const found = releasedIn(existing);
      if (found === undefined) {
        released.delete(address);
      } else {
        released.set(address, found);
      }
      return holder === undefined || sought.includes(address)
        ? new VersionConflict()
        : new Taken('phone', holder, { isNamed: false });
    },
  });
}
