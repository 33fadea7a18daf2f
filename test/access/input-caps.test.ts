import { expect, test } from 'vitest';
import * as z from 'zod';
import { ofKind, operations } from '../../infra/registry.ts';
import { fieldsOf } from './schema-walk.ts';

/**
 * Decisions 1, "Input caps": names and labels 200; search 200; note 20,000; password 8-256; e-mail 254; mentions 40; attachments 20;
 * stages per board 50. Lengths count Unicode code points. Over the cap: 400.
 */

const all = ofKind(await operations(), 'http');

function fieldOf(name: string, path: string): z.core.$ZodType {
  const operation = all.find((one) => one.name === name)?.operation;
  const [part = '', ...rest] = path.split('.');
  const schema = part === 'query' ? operation?.query : operation?.body;
  const found = schema && fieldsOf(schema).find((field) => field.path.join('.') === rest.join('.'));
  if (found === undefined) {
    throw new Error(`${name} has no field ${path}.`);
  }
  return found.schema;
}

const text = (count: number) => '😀'.repeat(count);
const email = (count: number) => `${'ü'.repeat(count - '@example.com'.length)}@example.com`;
const list =
  (item: (index: number) => unknown) =>
  (count: number): unknown =>
    Array.from({ length: count }, (_, index) => item(index));

test.each<[string, string, (count: number) => unknown, number]>([
  ['create-application', 'body.name', text, 200],
  ['create-contact', 'body.firstName', text, 200],
  ['create-contact', 'body.lastName', text, 200],
  ['create-contact', 'body.source', text, 200],
  ['create-contact', 'body.stage', text, 200],
  ['create-contact', 'body.phoneNumbers.[].label', text, 200],
  ['create-department', 'body.name', text, 200],
  ['create-listing', 'body.name', text, 200],
  ['create-outreach-configuration', 'body.name', text, 200],
  ['create-pipeline', 'body.name', text, 200],
  ['create-pipeline', 'body.stages.[].name', text, 200],
  ['create-template', 'body.name', text, 200],
  ['create-uploads', 'body.files.[].name', text, 200],
  ['create-workflow', 'body.name', text, 200],
  ['register', 'body.firstName', text, 200],
  ['register', 'body.organizationName', text, 200],
  ['assign-phone-number', 'body.label', text, 200],
  ['update-business-hours', 'body.holidays.[].label', text, 200],
  ['update-business-hours', 'body.exceptionalHours.[].label', text, 200],
  ['list-contacts-by-stage', 'body.search', text, 200],
  ['list-workflows', 'query.search', text, 200],
  ['create-note', 'body.note', text, 20_000],
  ['edit-note', 'body.note', text, 20_000],
  ['create-reminder', 'body.note', text, 20_000],
  ['register', 'body.password', text, 256],
  ['login', 'body.password', text, 256],
  ['register', 'body.email', email, 254],
  ['create-contact', 'body.email', email, 254],
  ['create-note', 'body.mentions', list((index) => `u${index}`), 40],
  ['edit-note', 'body.mentions', list((index) => `u${index}`), 40],
  ['create-note', 'body.attachments', list((index) => ({ key: `k${index}`, name: 'a.pdf' })), 20],
  ['create-pipeline', 'body.stages', list((index) => ({ name: `s${index}` })), 50],
  ['list-contacts-by-stage', 'body.stages', list((index) => `s${index}`), 50],
  ['list-contacts-by-stage', 'body.status', text, 1_000],
  ['update-missed-call-message', 'body.missedCallMessage', text, 500],
])('%s takes %s at its cap, and one beyond is refused', (name, path, of, cap) => {
  const field = fieldOf(name, path);
  expect(z.safeParse(field, of(cap)).error).toBeUndefined();
  expect(z.safeParse(field, of(cap + 1)).success).toBe(false);
});

test('A password has 8 code points at least', () => {
  const field = fieldOf('register', 'body.password');
  expect(z.safeParse(field, text(8)).success).toBe(true);
  expect(z.safeParse(field, text(7)).success).toBe(false);
});
