import { primaryNumber, type StoredContact } from '../contacts/contact.ts';
import { fullName } from '../organizations/user.ts';

/** A name that identifies the contact in a notification, even one without a name. */
export function contactName(contact: StoredContact): string {
  const number = primaryNumber(contact.phoneNumbers);
  return fullName(contact) || contact.email || number || 'a contact';
}
