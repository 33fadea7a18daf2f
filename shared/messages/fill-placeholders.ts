import type { StoredContact } from '../contacts/contact.ts';
import { primaryNumber } from '../contacts/contact.ts';
import { digitsIn, isNumber } from '../kernel/exact-numbers.ts';
import { Failure } from '../kernel/failure.ts';
import { fullName } from '../organizations/user.ts';

/** The fields of a contact that a text may contain. */
export type PlaceholderValues = Pick<
  StoredContact,
  'firstName' | 'lastName' | 'email' | 'phoneNumbers' | 'customFields'
>;

/**
 * Fills the placeholders of a text with a contact's data. The only place that knows them: `{{firstName}}`, `{{lastName}}`, `{{fullName}}`,
 * `{{contactName}}` (the full name), `{{email}}`, `{{phone}}` (the primary number), or the name of a custom field. Spaces inside
 * the braces do not matter. A list becomes `a, b`. A missing value becomes nothing, or the text after a bar: `{{firstName|there}}`.
 */
export function filled(text: string, values: PlaceholderValues, limit?: LengthLimit): string {
  return filledWith(text, values, () => undefined, limit);
}

/** How long a filled text may become. */
export interface LengthLimit {
  /** UTF-16 code units. Without it the text may become as long as its values make it. */
  readonly most?: number | undefined;
  /** The message of the 400 for a text that would become longer. */
  readonly refusal?: string;
}

/**
 * The same, with further names. `further` returns undefined for a name that is not one of them.
 * @throws a 400 `Failure` if the text would grow beyond its limit, before it is built.
 */
export function filledWith(
  text: string,
  values: PlaceholderValues | undefined,
  further: (name: string) => { readonly value: unknown } | undefined,
  { most = Number.POSITIVE_INFINITY, refusal = tooLong }: LengthLimit = {},
): string {
  let { length } = text;
  return text.replaceAll(/\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g, (whole, inside: string, fallback = '') => {
    const name = inside.trim();
    const other = further(name);
    const value = other === undefined ? values && fieldOf(name, values) : textOf(other.value);
    const filling: string = value || fallback.trim();
    length += filling.length - whole.length;
    if (filling.length > whole.length && length > most) {
      throw new Failure('INVALID', refusal);
    }
    return filling;
  });
}

const tooLong = 'The text is too long once its placeholders are filled';

function fieldOf(name: string, { customFields, ...contact }: PlaceholderValues): string {
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

/** A list becomes its members, with commas between them. Values that make no sense in a sentence are left out. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map(wordOf).filter(Boolean).join(', ');
  }
  return wordOf(value);
}

function wordOf(value: unknown): string {
  if (isNumber(value)) {
    return digitsIn(value);
  }
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : '';
}
