import { expect, test } from 'vitest';
import type * as z from 'zod';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { readRequest } from '../../shared/kernel/http/http-request.ts';
import { isAbsentAsNull } from '../../shared/kernel/http/without-nulls.ts';
import { noneIfEmpty } from '../../shared/kernel/schemas/fields.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';
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

const tenants = await setUpTenants();
const { product, rep, newContact } = tenants;
const { token } = rep;
const create = (body: object) => product.call('create-contact', { token, body });

test('A contact whose form had empty fields has none of them, and no owner', async () => {
  const body = {
    ...{ firstName: 'Ada', lastName: '', email: '', owner: '', pipelineId: '', stageId: '' },
    ...{ assignees: [''], phoneNumbers: [{ value: '', label: 'home' }] },
  };
  const { data } = expectStatus(await create(body), 201);
  expect(data).toMatchObject({ email: null, owner: null, assignees: [], phoneNumbers: [] });
  expect(expectStatus(await create({ firstName: 'Ada', owner: null }), 201).data.owner).toBeNull();
  expect(expectStatus(await create({ firstName: 'Ada' }), 201).data.owner).toBe(rep.userId);
  expect((await create({ email: '', phoneNumbers: [{ value: '' }] })).status).toBe(400);
});

test('An empty field clears the address, the owner and the numbers of a contact', async () => {
  const { _id: id } = await newContact({
    ...{ firstName: 'Ada', email: 'ada@example.com', owner: rep.userId, assignees: [rep.userId] },
    phoneNumbers: [{ value: newPhoneNumber() }],
  });
  const body = { email: '', owner: '', assignees: [rep.userId, ''], phoneNumbers: [{ value: '' }] };
  const { data } = expectStatus(await product.call('update-contact', { token, path: { id }, body }), 200);
  expect(data).toMatchObject({ email: null, owner: null, assignees: [rep.userId], phoneNumbers: [] });
});

test('A text whose form had empty fields is sent now', async () => {
  const phoneNumbers = [{ value: newPhoneNumber() }];
  const { _id: contactId } = await newContact({ firstName: 'Ada', phoneNumbers });
  const body = { contactId, content: 'Hi', templateId: '', conversationId: '', from: '', sendAt: '' };
  const { data } = expectStatus(await product.call('send-message', { token, body }), 201);
  expect(data).toMatchObject({ content: 'Hi', status: 'queued' });
});
