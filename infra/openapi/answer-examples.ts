import type { Schema } from './schemas.ts';

/** Texts by the field they stand in: the first pattern that fits the field's name. */
const texts: readonly (readonly [field: RegExp, text: string])[] = [
  [/^(_id|id)$|Ids?$/, '01JD8Z3V5Q6M7N8P9R0S1T2V3W'],
  [/^(owner|createdBy|sentBy|assignees|users)$/, '01JD8Z40A1B2C3D4E5F6G7H8J9'],
  [/(At|Time)$/, '2026-11-20T09:30:00.000Z'],
  [/^(date|day|startDate|endDate)$/, '2026-11-20'],
  [/^(start|end)$/, '09:00'],
  [/^(value|from|to|phoneNumber|providerPhoneNumber)$/, '+15550101815'],
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
  [/^status$/, 'completed'],
  [/^provider$/, 'twilio'],
  [/[nN]ame$/, 'Example'],
];

/** An answer as a schema of the document describes it, for readers; `components` are the schemas it refers to. */
export function exampleOf(schema: Schema, components: Readonly<Record<string, Schema>>, field = ''): unknown {
  const { $ref, const: only, enum: values, anyOf, type, items, properties } = schema;
  if (typeof $ref === 'string') {
    return exampleOf(components[$ref.split('/').at(-1) ?? ''] ?? {}, components, field);
  }
  if (only !== undefined || values !== undefined) {
    return only ?? values?.[0];
  }
  if (anyOf !== undefined) {
    // Where there may be nothing, something tells more; but for the end of a list.
    const [first] = anyOf.filter((one) => (one as Schema).type !== 'null');
    return field === 'nextCursor' ? null : exampleOf((first ?? {}) as Schema, components, field);
  }
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties ?? {}).map(([name, property]) => [
          name,
          exampleOf(property as Schema, components, name),
        ]),
      );
    case 'array':
      return [exampleOf((items ?? {}) as Schema, components, field)];
    case 'string':
      return texts.find(([pattern]) => pattern.test(field))?.[1] ?? 'Example';
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    default:
      return null;
  }
}
