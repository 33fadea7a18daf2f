import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { type Occasion, occasionOf } from '../../../shared/contacts/placeholder-contact.ts';

const calls: readonly (Occasion | undefined)[] = ['inbound call', 'outbound call'];

/** True for a contact of which nobody has said more than the call did that made it: deleting it loses nothing. */
export function isPlaceholder(contact: StoredContact): boolean {
  const { email, phoneNumbers, customFields, tags } = contact;
  return (
    calls.includes(occasionOf(contact)) &&
    email === null &&
    phoneNumbers.length <= 1 &&
    Object.keys(customFields).length === 0 &&
    tags.length === 0
  );
}
