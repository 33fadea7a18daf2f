import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { primaryNumber } from '../../../shared/contacts/phone-numbers.ts';
import { fullName } from '../../../shared/organizations/user.ts';

/** What a text may tell of a contact. */
export type Addressee = Pick<
  StoredContact,
  'firstName' | 'lastName' | 'email' | 'phoneNumbers' | 'customFields'
>;

/**
 * The text with a contact's data in place of its placeholders, the one place that knows them: `{{firstName}}`, `{{lastName}}`,
 * `{{fullName}}`, `{{contactName}}` (the full name), `{{email}}`, `{{phone}}` (the primary number), or else the name of a
 * custom field. Blanks inside the braces do not matter. Whatever the contact does not have becomes nothing.
 */
export function rendered(text: string, addressee: Addressee): string {
  return text.replaceAll(/\{\{([^{}]*)\}\}/g, (_, name: string) => fieldOf(name.trim(), addressee));
}

function fieldOf(name: string, { customFields, ...contact }: Addressee): string {
  switch (name) {
    case 'firstName':
    case 'lastName':
      return contact[name];
    case 'fullName':
    case 'contactName':
      return fullName(contact);
    case 'email':
      return contact.email ?? '';
    case 'phone':
      return primaryNumber(contact.phoneNumbers) ?? '';
    default:
      return Object.hasOwn(customFields, name) ? textOf(customFields[name]) : '';
  }
}

/** What nobody could read in a sentence is left out. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
