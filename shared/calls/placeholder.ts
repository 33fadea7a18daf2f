import type { StoredContact } from '../contacts/contact.ts';
import type { Direction } from '../conversations/conversation.ts';

/** What a contact is called whom nobody knows but by a call. Source: specification, "Contact"; decisions 8. */
const placeholders = {
  inbound: { firstName: 'Unknown Caller', lastName: '', source: 'Incoming Call' },
  outbound: { firstName: 'New Contact', lastName: '', source: 'Outgoing Call' },
} as const satisfies Record<Direction, Pick<StoredContact, 'firstName' | 'lastName' | 'source'>>;

/** The fields of a contact that a call with this number (E.164) makes. */
export function placeholderFields(direction: Direction, number: string) {
  return { ...placeholders[direction], phoneNumbers: [{ value: number, label: '', isPrimary: true }] };
}

/** True for a contact whose name is still the one that a call gave. */
export function isUnknownParty({ firstName, lastName, source }: StoredContact): boolean {
  return Object.values(placeholders).some(
    (one) => one.firstName === firstName && one.lastName === lastName && one.source === source,
  );
}

/** True for a contact of which nobody has said more than the call did: deleting it loses nothing. */
export function isPlaceholder(contact: StoredContact): boolean {
  const { email, phoneNumbers, customFields, tags } = contact;
  return (
    isUnknownParty(contact) &&
    email === null &&
    phoneNumbers.length <= 1 &&
    Object.keys(customFields).length === 0 &&
    tags.length === 0
  );
}
