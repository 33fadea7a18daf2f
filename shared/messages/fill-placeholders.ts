import type { StoredContact } from '../contacts/contact.ts';
import { primaryNumber } from '../contacts/contact.ts';
import { fullName } from '../organizations/user.ts';

/** The fields of a contact that a text may contain. */
export type Addressee = Pick<
  StoredContact,
  'firstName' | 'lastName' | 'email' | 'phoneNumbers' | 'customFields'
>;

/**
 * Fills a text's placeholders with a contact's data; nothing else knows them: `{{firstName}}`, `{{lastName}}`, `{{fullName}}`,
 * `{{contactName}}` (the full name), `{{email}}`, `{{phone}}` (the primary number), or the name of a custom field. Spaces inside
 * the braces do not matter. A missing value becomes nothing, or what stands after a bar: `{{firstName|there}}`.
 */
export function rendered(text: string, addressee: Addressee): string {
  return filledWith(text, addressee, () => undefined);
}

/** The same, with further names. `further` returns undefined for a name that is not one of them. */
export function filledWith(
  text: string,
  addressee: Addressee | undefined,
  further: (name: string) => { readonly value: unknown } | undefined,
): string {
  return text.replaceAll(/\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g, (_, inside: string, fallback = '') => {
    const name = inside.trim();
    const other = further(name);
    const value = other === undefined ? addressee && fieldOf(name, addressee) : textOf(other.value);
    return value || fallback.trim();
  });
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

/** Values that make no sense in a sentence are left out. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
