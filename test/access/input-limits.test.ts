import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { published } from '../harness/published.ts';
import { operationNamed, parsedBody } from './parsed-body.ts';
import { fieldMatch, schemaFields } from './schema-walk.ts';

/**
 * Decisions 1, "Input caps": names and labels 200; search 200; note 20,000; password 8-256; email 254; mentions 40; attachments 20;
 * stages per board 50. Lengths count Unicode code points. Over the cap: 400.
 */

const all = ofKind(await loadOperations(), 'http');

const text = (count: number) => '😀'.repeat(count);
const emailOf = (letter: string) => (count: number) =>
  `${letter.repeat(count - '@example.com'.length)}@example.com`;
const email = emailOf('ü');
/** Amazon SES cannot send to others. */
const mailableEmail = emailOf('u');
const list =
  (item: (index: number) => unknown) =>
  (count: number): unknown =>
    Array.from({ length: count }, (_, index) => item(index));

const takes = (schema: z.core.$ZodType, value: unknown) => z.safeParse(schema, value).success;

/** Every field of a body that takes any text, but ids: any text may be one, and is then not found. */
const texts = all.flatMap(({ name, operation }) =>
  (operation.body === undefined ? [] : schemaFields(operation.body))
    .filter(
      ({ schema }) =>
        fieldMatch(schema, Id) === undefined &&
        [text(8), 'a.pdf', 'ada@example.com'].some((one) => takes(schema, one)),
    )
    .map(({ path, schema }) => ({ name, field: path.join('.'), schema })),
);

/** Its marks are in the wrong order: to normalize it takes the square of their number. */
const disordered = (count: number) => `a${'\u0315\u0300'.repeat(count)}`;

test.each(texts)(
  '$name normalizes $field only where it can have as few characters as it may',
  ({ schema }) => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    try {
      z.safeParse(schema, disordered(3_000));
      z.safeParse(schema, `${disordered(3_000)}@example.com`);
      expect(Math.max(0, ...normalize.mock.contexts.map((text) => String(text).length))).toBeLessThan(3_000);
    } finally {
      normalize.mockRestore();
    }
  },
);

/** Four characters that become one, and blanks around them. */
const composed = (count: number) => ` ${'\u03b1\u0313\u0300\u0345'.repeat(count)} `;

test('login takes an email that has room once it is composed', () => {
  const schema = fieldOf('login', 'body.email');
  expect([takes(schema, composed(200)), takes(schema, composed(255))]).toEqual([true, false]);
});

test('create-workflow takes a name that has room once it is composed', async () => {
  const parsed = (count: number) => parsedBody(operationNamed('create-workflow'), { name: composed(count) });
  expect(await parsed(200)).toEqual({ name: composed(200).normalize('NFC').trim() });
  expect(await parsed(201)).toBe('name must have at most 200 characters');
});

/** More than a whole body may have. */
const endless = 300_000;
const hasNoCap = ({ schema }: (typeof texts)[number]) => takes(schema, text(endless));

/** Values of providers and other services are not refused for their length, but cut or ignored. */
const sentByOthers = ['receive-call', 'receive-lead', 'receive-sms', 'receive-status'];

/** Tokens and keys, which are compared; types, which the upload decides; parts of what is checked as a whole. */
const compared = [
  /^\S+ (token|refreshToken|mfaToken)$/,
  /^discard-call contactId$/,
  /^\S+ attachments\.\[\]\.(key|type)$/,
  /^update-business-hours (businessHours\.[a-z]+|exceptionalHours\.\[\])\.(start|end)$/,
  /^(create|update)-workflow (nodes|edges)\.\[\]\.(id|type|source|target)$/,
];

test('Only a text that is compared, or looked at as a part of the whole, has no cap of its own', () => {
  const found = texts
    .filter((one) => hasNoCap(one) && !sentByOthers.includes(one.name))
    .map(({ name, field }) => `${name} ${field}`);
  expect(found.filter((one) => !compared.some((pattern) => pattern.test(one)))).toEqual([]);
  expect(compared.filter((pattern) => !found.some((one) => pattern.test(one)))).toEqual([]);
});

/** The caps of texts that are neither names nor labels, by the field or by the operation and the field. */
const caps: Readonly<Record<string, number>> = {
  'import-contacts key': 1_024,
  'import-contacts mapping.*': 250,
  'import-contacts locale': 50,
  'import-contacts dateFormat': 50,
  'import-contacts clearWith': 50,
  'import-contacts tags.[]': 50,
  note: 20_000,
  password: 256,
  currentPassword: 256,
  newPassword: 256,
  email: 254,
  'create-ai-model modelDetails.[].description': 2_000,
  'update-ai-model modelDetails.[].description': 2_000,
  'create-listing description': 5_000,
  'create-webhook-endpoint url': 2_000,
  'create-webhook-endpoint description': 500,
  'update-webhook-endpoint url': 2_000,
  'update-webhook-endpoint description': 500,
  'notify-user message': 20_000,
  'create-workflow description': 20_000,
  'update-workflow description': 20_000,
  template: 10_000,
  content: 1_600,
  missedCallMessage: 500,
  helpMessage: 500,
  ssoFallbackBehavior: 64,
  passwordFallbackBehavior: 64,
  // Or a list of them.
  'export-contacts filter.source': 1_000,
  'export-contacts filter.status': 1_000,
  'list-contacts-by-stage source': 1_000,
  'list-contacts-by-stage status': 1_000,
  'change-contacts filter.source': 1_000,
  'change-contacts filter.status': 1_000,
  'create-segment filter.source': 1_000,
  'list-contacts-by-stage tags.[]': 50,
  'list-contacts-by-stage tagsAll.[]': 50,
  'create-segment filter.tags.[]': 50,
  'create-segment filter.tagsAll.[]': 50,
  'update-segment filter.tags.[]': 50,
  'update-segment filter.tagsAll.[]': 50,
  'create-segment filter.status': 1_000,
  'update-segment filter.source': 1_000,
  'update-segment filter.status': 1_000,
};

test.each(texts.filter((one) => !hasNoCap(one)))(
  '$name takes $field at its cap, and one code point more is refused',
  ({ name, field, schema }) => {
    const last = field.split('.').at(-1) ?? '';
    const cap = caps[`${name} ${field}`] ?? caps[last] ?? 200;
    const of = textFor(last, schema);
    expect([takes(schema, of(cap)), takes(schema, of(cap + 1))]).toEqual([true, false]);
  },
);

test.each(texts.filter((one) => !hasNoCap(one) && !one.field.includes('.')))(
  'The description of $name has the cap of $field',
  ({ name, field, schema }) => {
    const cap = caps[`${name} ${field}`] ?? caps[field] ?? 200;
    const problems = published.requestProblems(name, { [field]: textFor(field, schema)(cap + 1) });
    expect(problems).toContain(`/${field} must NOT have more than ${cap} characters`);
  },
);

function textFor(field: string, schema: z.core.$ZodType): (count: number) => string {
  if (field === 'email') {
    return takes(schema, 'ü@example.com') ? email : mailableEmail;
  }
  return field === 'name' && !takes(schema, text(1)) ? fileName : text;
}

function fileName(count: number): string {
  return `${text(count - '.pdf'.length)}.pdf`;
}

/** The schema of a field of a body or a query. */
function fieldOf(name: string, path: string): z.core.$ZodType {
  const operation = operationNamed(name);
  const [part = '', ...rest] = path.split('.');
  const schema = part === 'query' ? operation.query : operation.body;
  const found = schema && schemaFields(schema).find((field) => field.path.join('.') === rest.join('.'));
  if (found === undefined) {
    throw new Error(`${name} has no field ${path}.`);
  }
  return found.schema;
}

test.each<[string, string, (count: number) => unknown, number]>([
  ['list-workflows', 'query.search', text, 200],
  ['create-note', 'body.mentions', list((index) => `u${index}`), 40],
  ['edit-note', 'body.mentions', list((index) => `u${index}`), 40],
  ['create-note', 'body.attachments', list((index) => ({ key: `k${index}`, name: 'a.pdf' })), 20],
  ['create-pipeline', 'body.stages', list((index) => ({ name: `s${index}` })), 50],
  ['list-contacts-by-stage', 'body.stages', list((index) => `s${index}`), 50],
])('%s takes %s at its cap, and one beyond is refused', (name, path, of, cap) => {
  const field = fieldOf(name, path);
  expect([takes(field, of(cap)), takes(field, of(cap + 1))]).toEqual([true, false]);
});

test('A password has 8 code points at least', () => {
  const field = fieldOf('register', 'body.password');
  expect([takes(field, text(8)), takes(field, text(7))]).toEqual([true, false]);
});
