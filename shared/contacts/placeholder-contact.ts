import type { StoredContact } from './contact.ts';
import { withOneNumber } from './phone-numbers.ts';

/** What somebody is called of whom nothing but the number is known. Source: specification, "Contact"; decisions 8 and 10. */
const placeholders = {
  'inbound call': { firstName: 'Unknown Caller', lastName: '', source: 'Incoming Call' },
  'outbound call': { firstName: 'New Contact', lastName: '', source: 'Outgoing Call' },
  message: { firstName: 'Unknown Sender', lastName: '', source: 'Incoming SMS' },
} as const satisfies Record<string, Pick<StoredContact, 'firstName' | 'lastName' | 'source'>>;

/** By what a number that nobody had became a contact. */
export type Occasion = keyof typeof placeholders;

/** The fields of a contact with this number (E.164) that was made on such an occasion. */
export function strangerFields(occasion: Occasion, number: string) {
  return { ...placeholders[occasion], ...withOneNumber(number) };
}

/** The occasion by which a contact has its name; undefined once somebody has said who it is. */
export function occasionOf({ firstName, lastName, source }: StoredContact): Occasion | undefined {
  const occasions = Object.keys(placeholders) as Occasion[];
  return occasions.find((occasion) => {
    const name = placeholders[occasion];
    return name.firstName === firstName && name.lastName === lastName && name.source === source;
  });
}
