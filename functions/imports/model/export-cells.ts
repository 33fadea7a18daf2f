import type { Contact } from '../../../shared/contacts/contact.ts';
import { customFieldName } from './columns.ts';

/** The fields of a contact that a table may have, in their order; `customFields` are all of them. */
export const exportedFields = [
  ...['_id', 'firstName', 'lastName', 'fullName', 'email', 'phone', 'source', 'stage', 'owner'],
  ...['assignees', 'tags', 'externalId', 'createdAt', 'updatedAt', 'customFields'],
] as const;

/** Those that an import reads again. */
export const usualFields = [
  ...['firstName', 'lastName', 'email', 'phone', 'source', 'stage', 'owner', 'tags', 'externalId'],
  ...['createdAt', 'customFields'],
] as const;

/** What of all contacts decides which columns there are. */
export interface Extent {
  readonly phones: number;
  readonly hasLabels: boolean;
  /** The names of custom fields. */
  readonly keys: readonly string[];
}

export const noExtent: Extent = { phones: 1, hasLabels: false, keys: [] };

/** The extent with that of further contacts. */
export function widened(
  { phones, hasLabels, keys }: Extent,
  contacts: readonly Pick<Contact, 'phoneNumbers' | 'customFields'>[],
): Extent {
  return {
    phones: Math.max(phones, ...contacts.map(({ phoneNumbers }) => phoneNumbers.length)),
    hasLabels:
      hasLabels || contacts.some(({ phoneNumbers }) => phoneNumbers.some(({ label }) => label !== '')),
    keys: [...new Set([...keys, ...contacts.flatMap(({ customFields }) => Object.keys(customFields))])],
  };
}

/** A column: its name, and what it says of a contact. */
interface Column {
  readonly name: string;
  cell(contact: Contact): string;
}

/** The columns of these fields. `nameOf` gives users the names by which an import finds them. */
export function exportColumns(
  fields: readonly string[],
  { phones, hasLabels, keys }: Extent,
  nameOf: (userId: string) => string,
): Column[] {
  const plain = (name: string, cell: (contact: Contact) => string | null): Column => ({
    name,
    cell: (contact) => guarded(cell(contact) ?? ''),
  });
  const list = (names: readonly string[]) =>
    names.map((name) => name.replaceAll(/[\\|]/g, String.raw`\$&`)).join('|');
  const columns: Record<string, () => Column[]> = {
    phone: () =>
      Array.from({ length: phones }, (_, index) => {
        const number = index === 0 ? '' : ` ${index + 1}`;
        return [
          plain(`phone${number}`, ({ phoneNumbers }) => phoneText(primaryFirst(phoneNumbers)[index])),
          ...(hasLabels
            ? [
                plain(
                  `phoneLabel${number}`,
                  ({ phoneNumbers }) => primaryFirst(phoneNumbers)[index]?.label ?? '',
                ),
              ]
            : []),
        ];
      }).flat(),
    owner: () => [plain('owner', ({ owner }) => owner && nameOf(owner))],
    assignees: () => [plain('assignees', ({ assignees }) => list(assignees.map(nameOf)))],
    tags: () => [plain('tags', ({ tags }) => list(tags))],
    customFields: () =>
      keys.map((key) =>
        plain(customFieldName(key), ({ customFields }) =>
          Object.hasOwn(customFields, key) ? valueText(customFields[key]) : '',
        ),
      ),
  };
  return fields.flatMap(
    (field) => columns[field]?.() ?? [plain(field, (contact) => contact[field as 'firstName'])],
  );
}

/** A number with its extension, as imports read it. */
const phoneText = (number: Contact['phoneNumbers'][number] | undefined) =>
  number === undefined ? '' : `${number.value}${number.extension ? ` ext. ${number.extension}` : ''}`;

/** Imports take the first number as the primary one. */
const primaryFirst = (numbers: Contact['phoneNumbers']) =>
  numbers.toSorted((one, other) => Number(other.isPrimary) - Number(one.isPrimary));

/** A text as it is, if it can be read again as that text; anything else as JSON. */
function valueText(value: unknown): string {
  return typeof value === 'string' && isPlainText(value) ? value : JSON.stringify(value);
}

function isPlainText(text: string): boolean {
  if (text.trim() === '' || /(?![\t\n\r])\p{Cc}|^'/u.test(text) || !text.isWellFormed()) {
    return false;
  }
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

/**
 * A cell that a spreadsheet does not take for a formula: one that begins like one gets an apostrophe, and so does one that begins with an
 * apostrophe, since imports take one away. Numbers and phone numbers stay. Source: contacts at work, 3.
 */
export function guarded(text: string): string {
  const isNumber = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
  return !isNumber && /^[=+\-@\t\r']/.test(text) ? `'${text}` : text;
}
