import { type StoredContact, withOneNumber } from './contact.ts';

/** The names of contacts of whom nothing but a number is known. Source: specification, "Contact"; decisions 8 and 10. */
const placeholders = {
  'inbound call': { firstName: 'Unknown Caller', lastName: '', source: 'Incoming Call' },
  'outbound call': { firstName: 'New Contact', lastName: '', source: 'Outgoing Call' },
  message: { firstName: 'Unknown Sender', lastName: '', source: 'Incoming SMS' },
} as const satisfies Record<string, Pick<StoredContact, 'firstName' | 'lastName' | 'source'>>;

/** How an unknown number became a contact. */
export type PlaceholderSource = keyof typeof placeholders;

/** The fields of a placeholder contact with this number (E.164). */
export function placeholderFields(by: PlaceholderSource, number: string) {
  return { ...placeholders[by], ...withOneNumber(number) };
}

/**
 * The fields of a placeholder contact without a phone number, with its address if it has one. Nobody can call it or write to it.
 */
export function unnumberedFields(by: PlaceholderSource, sender: string | undefined) {
  return { ...placeholders[by], ...(sender === undefined ? {} : { customFields: { sender } }) };
}

/** How a placeholder contact was created; undefined once somebody has named it. */
export function toPlaceholderSource(
  contact: Pick<StoredContact, 'firstName' | 'lastName' | 'source'>,
): PlaceholderSource | undefined {
  const sources = Object.keys(placeholders) as PlaceholderSource[];
  return sources.find((sourceName) => {
    const { firstName, lastName, source } = placeholders[sourceName];
    return contact.firstName === firstName && contact.lastName === lastName && contact.source === source;
  });
}

/** The contact for texts to it: the name of a placeholder contact, like `Unknown Caller`, is for users and never sent. */
export function withoutPlaceholderName<
  Named extends Pick<StoredContact, 'firstName' | 'lastName' | 'source'>,
>(contact: Named): Named {
  return toPlaceholderSource(contact) === undefined ? contact : { ...contact, firstName: '', lastName: '' };
}

const calls: readonly (PlaceholderSource | undefined)[] = ['inbound call', 'outbound call'];

/** Whether a contact has nothing but what a call created: deleting it loses nothing. */
export function isPlaceholder(contact: StoredContact): boolean {
  const { email, phoneNumbers, customFields, tags } = contact;
  return (
    calls.includes(toPlaceholderSource(contact)) &&
    email === null &&
    phoneNumbers.length <= 1 &&
    Object.keys(customFields).length === 0 &&
    tags.length === 0
  );
}
