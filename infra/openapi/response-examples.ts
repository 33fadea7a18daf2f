import { normalizedPhoneNumber } from '../../shared/contacts/phone-numbers.ts';
import { fullName } from '../../shared/organizations/user.ts';
import type { Schema } from './schemas.ts';

/** What a request says by example: the answer repeats it where it has fields of the same name. */
export type Given = Readonly<Record<string, unknown>>;

/** Texts by the field they stand in: the first pattern that fits the field's name. */
const texts: readonly (readonly [field: RegExp, text: string])[] = [
  [/^organizationId$/, '01JD8Z2M4K5N6P7Q8R9S0T1V2W'],
  [/^(owner|ownerId|createdBy|sentBy|userId|assignees|users)$/, '01JD8Z40A1B2C3D4E5F6G7H8J9'],
  [/^(_id|id)$|Ids?$/, '01JD8Z3V5Q6M7N8P9R0S1T2V3W'],
  [/^start$/, '09:00'],
  [/^end$/, '17:30'],
  [/^(value|from|phoneNumber)$/, '+15550101815'],
  [/^(to|providerPhoneNumber)$/, '+15550100100'],
  [/[eE]mail$/, 'ada@example.com'],
  [/^firstName$/, 'Ada'],
  [/^lastName$/, 'Lovelace'],
  [/^(fullName|userName)$/, 'Ada Lovelace'],
  [/^timezone$/, 'Europe/Kyiv'],
  [/[uU]rl$/, 'https://example.com'],
  [/[tT]oken$/, '…'],
  [/^stage|Stage$/, 'Contacted'],
  [/^(message|details)$/, 'Done'],
  [/^(content|note|template|lastMessage|description)$/, 'When may we call you?'],
  [/^missedCallMessage$/, 'Sorry we missed you, {{contactName}}.'],
  [/^emoji$/, '👍'],
  [/^type$/, 'text/plain'],
  [/^status$/, 'sent'],
  [/^provider$/, 'twilio'],
  [/^source$/, 'Referral'],
  [/^label$/, 'mobile'],
  [/^tags$/, 'vip'],
  [/^ssoFallbackBehavior$/, 'redirect'],
  [/^passwordFallbackBehavior$/, 'logout'],
  [/[nN]ame$/, 'Example'],
];

const numbers: Readonly<Record<string, number>> = {
  idleTimeoutMinutes: 30,
  warningTimeMinutes: 5,
  duration: 84,
  size: 48_213,
};

/** What is rarely true, and not of what was just created. */
const unusual = /^(fired|isEdited|isBulkImport|isResolved|isRead|disabled|duplicate|cached|closed)$/;

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-11-20T09:30:00.000Z',
  date: '2026-11-20',
};

/** A name in each map that the document has a schema for its values of. */
const keys: readonly (readonly [field: RegExp, key: string])[] = [
  [/^(data|stageIdByName)$/, 'Contacted'],
  [/^conversationMessages$/, '01JD8Z3V5Q6M7N8P9R0S1T2V3W'],
  [/^fields$/, 'key'],
];

/**
 * An answer as a schema of the document describes it, for readers; `components` are the schemas it refers to. What the
 * request says stands at the top of the answer, or in what the answer wraps: `{success, data: {…}}`.
 */
export function answerExample(
  schema: Schema,
  components: Readonly<Record<string, Schema>>,
  request: Given,
): unknown {
  const { properties, ...rest } = resolved(schema, components);
  return properties === undefined
    ? exampleOf(rest, components, request)
    : Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
          name,
          exampleOf(
            property as Schema,
            components,
            Object.hasOwn(request, name) ? request[name] : request,
            name,
          ),
        ]),
      );
}

/** A value of a schema; `given` is what the request has in its place. */
function exampleOf(
  schema: Schema,
  components: Readonly<Record<string, Schema>>,
  given: unknown,
  field = '',
): unknown {
  const { const: only, enum: values, anyOf, type, ...rest } = resolved(schema, components);
  if (only !== undefined || values !== undefined) {
    return only ?? (values?.includes(given as string) ? given : values?.[0]);
  }
  // Where there may be nothing, something tells more; but for the end of a list.
  const types = [type].flat();
  if (types.includes('null') && (given === null || field === 'nextCursor')) {
    return null;
  }
  if (anyOf !== undefined) {
    const [first] = anyOf.filter((one) => (one as Schema).type !== 'null') as Schema[];
    return given === null ? null : exampleOf(first ?? {}, components, given, field);
  }
  switch (types.find((one) => one !== 'null')) {
    case 'object':
      return objectExample(rest, components, given, field);
    case 'array':
      return listExample(rest, components, given, field);
    case 'string':
      return textExample(field, rest.format, given);
    case 'number':
    case 'integer':
      return typeof given === 'number' ? given : (numbers[field] ?? 1);
    case 'boolean':
      return typeof given === 'boolean' ? given : !unusual.test(field);
    default:
      return null;
  }
}

function resolved(schema: Schema, components: Readonly<Record<string, Schema>>): Schema {
  const { $ref } = schema;
  return $ref === undefined ? schema : (components[$ref.split('/').at(-1) ?? ''] ?? {});
}

function objectExample(
  { properties = {}, required = [], additionalProperties }: Schema,
  components: Readonly<Record<string, Schema>>,
  given: unknown,
  field: string,
): unknown {
  const named: Record<string, unknown> = isGiven(given) ? { ...given } : {};
  const names = Object.keys(properties);
  if (names.length === 0) {
    const [, key] = keys.find(([pattern]) => pattern.test(field)) ?? [];
    return key === undefined || !isGiven(additionalProperties)
      ? named
      : { [key]: exampleOf(additionalProperties, components, undefined, 'id') };
  }
  if (typeof named.firstName === 'string') {
    named.fullName = fullName({ firstName: named.firstName, lastName: `${named.lastName ?? ''}` });
  }
  // What a request leaves out is not in what it made, unless it must be.
  const isAnswered = names.some((name) => name in named)
    ? (name: string) => name in named || required.includes(name)
    : () => true;
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => isAnswered(name))
      .map(([name, property]) => [name, exampleOf(property as Schema, components, named[name], name)]),
  );
}

function listExample(
  { items }: Schema,
  components: Readonly<Record<string, Schema>>,
  given: unknown,
  field: string,
): unknown[] {
  const item = (items ?? {}) as Schema;
  if (Object.keys(item).length === 0) {
    return [];
  }
  if (Array.isArray(given)) {
    return given.map((one) => exampleOf(item, components, one, field));
  }
  // The id of a request is that of what the list belongs to.
  const { _id: _, ...filters } = isGiven(given) ? given : {};
  return [exampleOf(item, components, filters, field)];
}

function textExample(field: string, format: string | undefined, given: unknown): string {
  const usual = formats[format ?? ''] ?? texts.find(([pattern]) => pattern.test(field))?.[1] ?? 'Example';
  // Tokens are good for one use: the next is another.
  if (typeof given !== 'string' || /token$/i.test(field)) {
    return usual;
  }
  if (format === 'date-time') {
    return new Date(given).toISOString();
  }
  return usual.startsWith('+') ? normalizedPhoneNumber(given) : given;
}

function isGiven(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
