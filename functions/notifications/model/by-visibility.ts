import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { involvedPeople, sees } from '../../../shared/organizations/visibility.ts';
import type { Addressee } from './addressees.ts';

/** Addressees who get the same text. */
interface Alike<Some extends Addressee> {
  readonly some: readonly Some[];
  /** Of how many contacts they are told, if it is not one. */
  readonly count?: number | undefined;
  /** The contact, for those who see it. */
  readonly seen: StoredContact | undefined;
}

/** Those who see the contact, then the others: a user who sees only a conversation or a call may not see the contact's name. */
export function byVisibility<Some extends Addressee>(
  addressees: readonly Some[],
  contact: StoredContact | undefined,
): Alike<Some>[] {
  const maySee = ({ scope }: Some) => contact !== undefined && sees(scope, involvedPeople(contact));
  return [
    { some: addressees.filter(maySee), seen: contact },
    { some: addressees.filter((addressee) => !maySee(addressee)), seen: undefined },
  ];
}

/** Those who are told of the same number of contacts. */
export function byCount<Some extends Addressee>(
  addressees: readonly Some[],
  counts: Readonly<Record<string, number>>,
): Alike<Some>[] {
  const groups = Map.groupBy(addressees, ({ user }) => counts[user._id] ?? 1);
  return Array.from(groups, ([count, some]) => ({ some, seen: undefined, count }));
}
