import { searchFolded } from '../../../shared/kernel/names/folded.ts';

/** What a column may be mapped to, besides the custom fields. Source: contacts at work, 3. */
export const importedFields = [
  'firstName',
  'lastName',
  'fullName',
  'email',
  'phone',
  'phoneLabel',
  'source',
  'stage',
  'owner',
  'tags',
  'externalId',
  'createdAt',
  'note',
] as const;
export type ImportedField = (typeof importedFields)[number];

const customPrefix = 'customFields.';

/** The name of the custom field that a column is mapped to; undefined for another field. */
export const customKey = (field: string): string | undefined =>
  field.startsWith(customPrefix) ? field.slice(customPrefix.length) : undefined;

/** The field of a mapping for a custom field. */
export const customFieldName = (key: string) => `${customPrefix}${key}`;

/** Whether a column can be mapped to this. */
export const isImportedField = (field: string): boolean =>
  (importedFields as readonly string[]).includes(field) || Boolean(customKey(field));

/** Fields that several columns may give. */
const mayRepeat: ReadonlySet<string> = new Set(['phone', 'phoneLabel']);

/** The field of each column, or null for one that is left out. */
export type Mapping = Readonly<Record<string, string | null>>;

/** The first column for which this field was given before; undefined if each field is given once. */
export function repeatedField(mapping: Mapping): string | undefined {
  const fields = Object.values(mapping).filter((field) => field !== null && !mayRepeat.has(field));
  return fields.find((field, index) => fields.indexOf(field) !== index) ?? undefined;
}

/** A custom field that the organization has defined. */
interface DefinedField {
  readonly key: string;
  readonly label: string;
}

/** How tables of other programs name what a contact has, as `plain` names. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  firstName: ['givenname', 'forename', 'vorname', 'prenom', 'nombre'],
  lastName: ['surname', 'familyname', 'nachname', 'familienname', 'nom', 'apellido', 'apellidos'],
  fullName: ['name', 'contactname', 'displayname', 'vollername', 'contact'],
  email: ['emailaddress', 'mail', 'emailadresse', 'primaryemail', 'workemail', 'correoelectronico'],
  phone: [
    ...['phonenumber', 'mobile', 'mobilephone', 'mobilenumber', 'cell', 'cellphone', 'telephone', 'tel'],
    ...['workphone', 'homephone', 'businessphone', 'otherphone', 'primaryphone'],
    ...['telefon', 'telefonnummer', 'handy', 'mobil', 'mobilnummer', 'rufnummer', 'telefono'],
  ],
  source: ['leadsource', 'contactsource', 'quelle', 'herkunft'],
  stage: ['pipelinestage', 'leadstage', 'phase'],
  owner: ['owneremail', 'contactowner', 'recordowner', 'besitzer', 'zustandig'],
  tags: ['tag', 'labels', 'schlagworte', 'schlagworter', 'etiketten'],
  externalId: ['id', 'recordid', 'contactid', 'customerid', 'customernumber', 'kundennummer', 'kundennr'],
  createdAt: [
    'created',
    'createdate',
    'createddate',
    'datecreated',
    'createdon',
    'creationdate',
    'erstelltam',
  ],
  note: ['notes', 'comment', 'comments', 'remarks', 'notiz', 'notizen', 'bemerkung', 'kommentar'],
};

/** Letters alone: neither case nor accents, blanks, signs or numbers tell names of columns apart. */
const plain = (name: string) => searchFolded(name).replaceAll(/[^\p{L}]/gu, '');

const fieldsByName: ReadonlyMap<string, string> = new Map(
  importedFields.flatMap((field) =>
    [field, ...(otherNames[field] ?? [])].map((name) => [plain(name), field] as const),
  ),
);

/** The mapping that the names of the columns suggest. A field goes to the first column that seems to be it. */
export function proposedMapping(columns: readonly string[], defined: readonly DefinedField[]): Mapping {
  const keys = new Map(
    defined.flatMap(({ key, label }) =>
      [key, label].map((name) => [plain(name), customFieldName(key)] as const),
    ),
  );
  const given = new Set<string>();
  return Object.fromEntries(
    columns.map((column) => {
      const field = suggestedField(column, keys);
      if (field === undefined || (given.has(field) && !mayRepeat.has(field))) {
        return [column, null];
      }
      given.add(field);
      return [column, field];
    }),
  );
}

function suggestedField(column: string, defined: ReadonlyMap<string, string>): string | undefined {
  if (isImportedField(column)) {
    return column;
  }
  const name = plain(column);
  return column.startsWith('_') ? undefined : (fieldsByName.get(name) ?? defined.get(name));
}
