import { expect, test } from 'vitest';
import type * as z from 'zod';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { readRequest } from '../../shared/kernel/http/http-request.ts';
import { isAbsentAsNull } from '../../shared/kernel/http/without-nulls.ts';
import { noneIfEmpty } from '../../shared/kernel/schemas/fields.ts';
import { operationNamed, parsedBody } from './parsed-body.ts';
import { schemaFields } from './schema-walk.ts';

/** Decisions 1: `''` for an optional id, e-mail, number or date of a form is as `null`, which is as if the field were absent. */

const all = ofKind(await loadOperations(), 'http');
function isMarked(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return isMarked(def.innerType);
    case 'pipe':
      return isMarked(def.in);
    default:
      return def.type === 'number' || noneIfEmpty.get(schema) !== undefined;
  }
}

/** All optional ids, addresses, numbers and dates of bodies. */
const optional = all.flatMap(({ name, operation }) =>
  (operation.body === undefined ? [] : schemaFields(operation.body))
    .filter(({ parent, schema }) => parent === operation.body && schema._zod.optin !== undefined)
    .filter(({ schema }) => isMarked(schema))
    .map(({ path, schema }) => ({ name, operation, field: path.join('.'), schema })),
);

test('There are dozens of optional ids, addresses, numbers and dates', () => {
  expect(optional.length).toBeGreaterThan(25);
});

test.each(optional)('$name takes an empty $field as null', async ({ operation, field, schema }) => {
  const { [field]: _, ...others } = (operation.example?.body ?? {}) as Record<string, unknown>;
  const none = isAbsentAsNull(schema) ? others : { ...others, [field]: null };
  expect(await parsedBody(operation, { ...others, [field]: '' })).toEqual(await parsedBody(operation, none));
});

const queries = all.flatMap(({ name, operation }) =>
  Object.entries((operation.query?._zod.def.shape ?? {}) as Record<string, z.core.$ZodType>)
    .filter(([, schema]) => schema._zod.optin !== undefined && isMarked(schema))
    .map(([parameter]) => ({ name, operation, parameter })),
);

test.each(queries)(
  '$name takes an empty $parameter in its query as none',
  async ({ operation, parameter }) => {
    const { [parameter]: _, ...others } = (operation.example?.query ?? {}) as Record<string, string>;
    const read = async (queryStringParameters: Record<string, string>) => {
      const http = { method: 'GET', path: '/', sourceIp: '::1' };
      const event = {
        rawPath: '/',
        headers: {},
        queryStringParameters,
        requestContext: { requestId: 'r', http },
      };
      return (await readRequest({ ...operation, body: undefined }, event, { receivedAt: new Date(0) })).query;
    };
    expect(await read({ ...others, [parameter]: '' })).toEqual(await read(others));
  },
);

test.each<[string, object, unknown]>([
  ['update-contact', { assignees: [''] }, { assignees: [] }],
  ['update-contact', { assignees: ['', 'a', ''] }, { assignees: ['a'] }],
  ['update-contact', { phoneNumbers: [{ value: '' }] }, { phoneNumbers: [] }],
  [
    'update-contact',
    { phoneNumbers: [{ value: '', label: 'mobile', isPrimary: true }] },
    { phoneNumbers: [] },
  ],
  ['update-contact', { email: '', owner: '' }, { email: null, owner: null }],
  ['update-contact', { firstName: '', source: '' }, { firstName: '', source: '' }],
  ['update-contact', { customFields: { size: '' } }, { customFields: { size: '' } }],
  ['update-user', { departmentIds: [''] }, { departmentIds: [] }],
  [
    'list-contacts-by-stage',
    { owner: [''], size: '', pipelineId: '' },
    { size: 25, ownerFilter: 'all', pipelineType: 'Contact' },
  ],
  // What is required, and what is no id, address, number or date, is as it was.
  [
    'create-reminder',
    { contactId: 'a', note: 'x', remindAt: '' },
    'remindAt must be an ISO 8601 date or date-time',
  ],
  ['create-contact', { tags: [''] }, 'tags[0] must not be empty'],
  ['create-contact', { stage: '' }, 'stage must not be empty'],
  ['create-contact', { email: 'nobody' }, 'email must be an email address of at most 254 characters'],
  ['create-contact', { isBulkImport: '' }, 'isBulkImport must be true or false'],
  ['create-contact', { phoneNumbers: [{ label: 'mobile' }] }, 'phoneNumbers[0].value is required'],
  [
    'create-contact',
    { phoneNumbers: [{ value: 'x' }, { value: '' }] },
    'phoneNumbers[0].value must be an E.164 phone number, like +15551234567',
  ],
  ['create-contact', { phoneNumbers: '' }, 'phoneNumbers must be an array'],
  ['run-workflow', { contactIds: [''] }, 'contactIds must have at least 1 item'],
  ['update-text-settings', { dailyLimit: 'x' }, 'dailyLimit must be a number'],
])('%s takes %j as %j', async (name, body, expected) => {
  expect(await parsedBody(operationNamed(name), body)).toEqual(expected);
});
