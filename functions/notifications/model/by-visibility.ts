import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { involvedPeople, sees } from '../../../shared/organizations/visibility.ts';
import type { Addressee } from './addressees.ts';

/** Addressees who get the same text. */
interface SameVisibility<Some extends Addressee> {
  readonly some: readonly Some[];
  /** The contact, for those who see it. */
  readonly seen: StoredContact | undefined;
}

/** Those who see the contact, then the others: a user who sees only a conversation or a call may not see the contact's name. */
export function byVisibility<Some extends Addressee>(
  addressees: readonly Some[],
  contact: StoredContact | undefined,
): SameVisibility<Some>[] {
  const maySee = ({ scope }: Some) => contact !== undefined && sees(scope, involvedPeople(contact));
  return [
    { some: addressees.filter(maySee), seen: contact },
    { some: addressees.filter((addressee) => !maySee(addressee)), seen: undefined },
  ];
}
