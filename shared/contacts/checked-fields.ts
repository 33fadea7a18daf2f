import { Failure } from '../kernel/failure.ts';
import { readUsers } from '../organizations/visibility.ts';
import { readZoneFor } from '../organizations/zone-for.ts';
import type { TableReader } from '../table/table.ts';
import { type FieldDefinition, type FieldOwner, readFieldDefinitions } from './field-definition.ts';
import { expected, type FieldReading, isBlank, typedValue, valueFromText } from './field-types.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The custom fields in a request: all of a record, or some to set beside the others, where null removes one. */
export interface SentFields {
  readonly customFields?: Fields | undefined;
  readonly setCustomFields?: Fields | undefined;
}

/** What the custom fields of a request are checked with. */
export interface FieldRules extends FieldReading {
  /** Those for the records that are written. */
  readonly definitions: readonly FieldDefinition[];
  /** Whether a text is read as the type of its field: in forms, sheets, and steps of workflows, whose placeholders are filled with texts. */
  readonly readsTexts: boolean;
}

/**
 * Reads what the custom fields of a request are checked with. Definitions are read eventually consistent beside other records; a further
 * round trip is only made for the users whom fields name, and for the time zone of times without an offset.
 */
export async function readFieldRules(
  table: TableReader,
  appliesTo: FieldOwner,
  { customFields, setCustomFields }: SentFields,
  readsTexts = table.causedBy !== undefined,
): Promise<FieldRules> {
  const isNothing = customFields === undefined && setCustomFields === undefined;
  const stored = isNothing ? undefined : await readFieldDefinitions(table, { consistent: false });
  const definitions =
    stored?.data.definitions.filter((definition) => definition.appliesTo === appliesTo) ?? [];
  const valuesOf = (type: FieldDefinition['type']) =>
    definitions
      .filter((definition) => definition.type === type)
      .flatMap(({ key }) => [customFields?.[key], setCustomFields?.[key]])
      .filter((value) => typeof value === 'string' && value !== '');
  const [users, zone] = await Promise.all([
    valuesOf('user').length === 0 ? [] : readUsers(table),
    readZoneFor(table, ...(valuesOf('dateTime') as string[])),
  ]);
  return { definitions, zone, userIds: userIdsByName(users, readsTexts), readsTexts };
}

/** The ids of users by their ids, and for texts also by their email addresses. */
export function userIdsByName(
  users: readonly { readonly _id: string; readonly email: string }[],
  readsTexts: boolean,
): ReadonlyMap<string, string> {
  const emails = readsTexts ? users.map(({ email, _id }) => [email, _id] as const) : [];
  return new Map([...users.map(({ _id }) => [_id, _id] as const), ...emails]);
}

/**
 * The request with its custom fields as their types store them.
 * @param before the custom fields of the record; undefined for a new one, which must have all that are required.
 * @param pathOfSet what the client calls `setCustomFields`.
 * @throws a 400 `Failure` that names the field which does not fit or is missing.
 */
export function withCheckedFields<Request extends SentFields>(
  rules: FieldRules,
  request: Request,
  before?: Fields,
  pathOfSet = 'setCustomFields',
): Request {
  requireFields(rules, request, before);
  const { customFields, setCustomFields } = request;
  return {
    ...request,
    ...(customFields && { customFields: withoutNone(rules, checked(rules, customFields, 'customFields')) }),
    ...(setCustomFields && {
      setCustomFields: Object.fromEntries(checked(rules, setCustomFields, pathOfSet)),
    }),
  };
}

/** Source: contacts-at-work 2: `required` is asked of new records, and of the field itself, not of changes of other fields. */
function requireFields(
  { definitions }: FieldRules,
  { customFields, setCustomFields = {} }: SentFields,
  before: Fields | undefined,
): void {
  const after = { ...(customFields ?? before), ...setCustomFields };
  const isSet = (key: string) => Object.hasOwn({ ...customFields, ...setCustomFields }, key);
  const isTaken = (key: string) => customFields !== undefined && !isBlank(own(before ?? {}, key));
  const missing = definitions.find(
    ({ key, required }) =>
      required && isBlank(own(after, key)) && (before === undefined || isSet(key) || isTaken(key)),
  );
  if (missing !== undefined) {
    throw new Failure('INVALID', `customFields.${missing.key} is required`);
  }
}

const own = (fields: Fields, key: string) => (Object.hasOwn(fields, key) ? fields[key] : undefined);

function checked(rules: FieldRules, fields: Fields, path: string): [key: string, value: unknown][] {
  const byKey = new Map(rules.definitions.map((definition) => [definition.key, definition]));
  return Object.entries(fields).map(([key, value]) => {
    const definition = byKey.get(key);
    if (definition === undefined) {
      return [key, value];
    }
    // Forms send an empty text for none.
    if (value === null || (value === '' && definition.type !== 'text')) {
      return [key, null];
    }
    const typed = (rules.readsTexts ? valueFromText : typedValue)(value, definition, rules);
    if (typed === undefined) {
      throw new Failure('INVALID', `${path}.${key} ${expected(definition)}`);
    }
    return [key, typed];
  });
}

/** A defined field without a value is left out; null is a value of other fields. */
function withoutNone({ definitions }: FieldRules, fields: readonly [string, unknown][]): Fields {
  const keys = new Set(definitions.map(({ key }) => key));
  return Object.fromEntries(fields.filter(([key, value]) => value !== null || !keys.has(key)));
}
