import { expect, test } from 'vitest';
import type * as z from 'zod';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { isAbsentAsNull, withoutNulls } from '../../shared/kernel/http/without-nulls.ts';
import { operationNamed, parsedBody } from './parsed-body.ts';
import { schemaFields } from './schema-walk.ts';

/**
 * Decisions 1: null for an optional field is as if it were absent, wherever null has no meaning of its own.
 */

const withBody = ofKind(await loadOperations(), 'http').filter(
  ({ operation }) => operation.body !== undefined,
);

const fields = withBody.flatMap(({ name, operation }) =>
  (operation.body === undefined ? [] : schemaFields(operation.body)).map((field) => ({
    ...field,
    name,
    operation,
    field: field.path.join('.'),
    isTop: field.parent === operation.body,
  })),
);
const isOptional = ({ schema }: (typeof fields)[number]) => schema._zod.optin !== undefined;

test.each(fields.filter((field) => field.isTop && isOptional(field) && isAbsentAsNull(field.schema)))(
  '$name takes null for $field as if it were absent',
  async ({ operation, field }) => {
    const { [field]: _, ...others } = (operation.example?.body ?? {}) as Record<string, unknown>;
    expect(await parsedBody(operation, { ...others, [field]: null })).toEqual(
      await parsedBody(operation, others),
    );
  },
);

test.each(fields.filter((field) => !field.isTop && isOptional(field) && isAbsentAsNull(field.schema)))(
  '$name takes null for $field as if it were absent, inside of another field',
  ({ operation, path }) => {
    const name = path.at(-1) ?? '';
    /** The whole body, in which the object that the field is of has these members. */
    const holding = (members: object) =>
      path
        .slice(0, -1)
        .reduceRight<unknown>((inner, part) => (part === '[]' ? [inner] : { [part]: inner }), members);
    expect(withoutNulls(operation.body as z.core.$ZodType, holding({ [name]: null, other: null }))).toEqual(
      holding({ other: null }),
    );
  },
);

/** Operations that take null themselves: in a filter, where it filters nothing, and in what others send, where nothing is refused. */
const takeNull = [
  'change-contacts',
  'export-contacts',
  'create-segment',
  'list-contacts-by-stage',
  'logout',
  'receive-call',
  'receive-lead',
  'receive-sms',
  'receive-status',
  'update-notification-preferences',
  'update-segment',
];

test('Null has a meaning of its own in these optional fields alone: it clears them', () => {
  const cleared = fields.filter(
    (field) => isOptional(field) && !isAbsentAsNull(field.schema) && !takeNull.includes(field.name),
  );
  expect(cleared.map(({ name, field }) => `${name} ${field}`).sort()).toEqual([
    'create-contact email',
    'create-contact externalId',
    'create-contact owner',
    'create-contact source',
    'create-outreach-configuration ownerId',
    'create-outreach-configuration pipelineId',
    'create-outreach-configuration secret',
    'create-outreach-configuration source',
    'create-outreach-configuration stageId',
    'create-webhook-endpoint description',
    'update-business-hours businessHours',
    'update-contact email',
    'update-contact externalId',
    'update-contact owner',
    'update-contact source',
    'update-conversation userId',
    'update-organization helpMessage',
    'update-outreach-configuration ownerId',
    'update-outreach-configuration pipelineId',
    'update-outreach-configuration secret',
    'update-outreach-configuration source',
    'update-outreach-configuration stageId',
    'update-text-settings approved',
    'update-text-settings dailyLimit',
    'update-text-settings invitationsPerDay',
    'update-text-settings standardSender',
    'update-webhook-endpoint description',
    'upsert-contact email',
    'upsert-contact externalId',
    'upsert-contact owner',
    'upsert-contact source',
  ]);
});

test.each([
  ['create-contact', { firstName: 'Ada', tags: [null] }, 'tags[0] must be a string'],
  ['create-note', { contactId: null, note: 'Hi' }, 'contactId must be a string'],
  ['create-workflow', { name: null }, 'name must be a string'],
  ['update-contact', { phoneNumbers: [{ value: null }] }, 'phoneNumbers[0].value must be a string'],
])('%s refuses null in a list, and where a field is required: %j', async (name, body, problem) => {
  expect(await parsedBody(operationNamed(name), body)).toBe(problem);
});

test('Null stays in data that no schema describes', async () => {
  expect(
    await parsedBody(operationNamed('create-contact'), {
      firstName: null,
      lastName: 'King',
      email: null,
      phoneNumbers: [{ value: '+15550001', label: null }],
      customFields: { size: null, deep: { a: null } },
    }),
  ).toEqual({
    lastName: 'King',
    email: null,
    phoneNumbers: [{ value: '+15550001', label: '', isPrimary: false }],
    customFields: { size: null, deep: { a: null } },
  });
});
