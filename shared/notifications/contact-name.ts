import { primaryNumber, type StoredContact } from '../contacts/contact.ts';
import { toPlaceholderSource } from '../contacts/placeholder-contact.ts';
import { isWithheldSender } from '../contacts/withheld.ts';
import { fullName } from '../organizations/user.ts';

/** A name that identifies the contact in a notification: for one without a name, or with that of a placeholder, its address. */
export function contactName(contact: StoredContact): string {
  const address =
    primaryNumber(contact.phoneNumbers) ?? (isWithheldSender(contact.sender) ? undefined : contact.sender);
  const isNamed = toPlaceholderSource(contact) === undefined;
  return (isNamed && (fullName(contact) || contact.email)) || address || fullName(contact) || 'a contact';
}
