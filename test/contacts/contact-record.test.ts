import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { contactsClient, touch } from './client.ts';

const { product, admin, head, rep } = await setUpTenants();
const contacts = contactsClient(product, admin);

const fields = `
  _id organizationId firstName lastName fullName email externalId phoneNumbers source pipelineId stageId
  stage createdBy owner assignees customFields tags isBulkImport lastMessageAt
  lastMessageDirection createdAt updatedAt consent
`
  .trim()
  .split(/\s+/)
  .sort();

const missing = { error: 'Not found', message: 'Contact not found' };

test('A new contact has exactly the fields of the contract, with their defaults', async () => {
  const at = new Date();
  const { status, body, headers } = await contacts.create({ firstName: 'Ada' }, at);
  expect(status).toBe(201);
  expect(headers['x-request-id']).toEqual(expect.any(String));
  expect(body).toEqual({ success: true, message: 'Contact created', data: expect.anything() });
  expect(Object.keys(body.data).sort()).toEqual(fields);
  expect(body.data).toMatchObject({
    organizationId: admin.organizationId,
    firstName: 'Ada',
    lastName: '',
    fullName: 'Ada',
    email: null,
    externalId: null,
    phoneNumbers: [],
    source: null,
    stage: 'New',
    createdBy: admin.userId,
    owner: admin.userId,
    assignees: [],
    customFields: {},
    tags: [],
    isBulkImport: false,
    lastMessageAt: null,
    lastMessageDirection: null,
    createdAt: at.toISOString(),
    updatedAt: at.toISOString(),
  });
});

test('A new contact is the same record when created, read, listed and after an update that changes nothing else', async () => {
  const record = await contacts.created({
    firstName: '  Grace ',
    lastName: 'Hopper',
    email: 'grace@example.com',
    phoneNumbers: [{ value: newPhoneNumber(), label: 'work' }],
    source: 'Navy',
    stage: 'Won',
    owner: null,
    assignees: [rep.userId],
    tags: ['cobol'],
    isBulkImport: true,
    customFields: { nested: { list: [1, null, { a: 'b' }] } },
  });
  expect(record).toMatchObject({ firstName: 'Grace', fullName: 'Grace Hopper', stage: 'Won', owner: null });
  expect(outcome(await contacts.read(record._id))).toEqual({
    status: 200,
    body: { success: true, data: record },
  });
  expect((await contacts.board({ search: 'Grace Hopper' })).Won?.contacts).toEqual([record]);
  const updated = expectStatus(await contacts.update(record._id, { lastName: 'Murray' }), 200);
  expect(updated).toEqual({
    success: true,
    message: 'Contact updated',
    data: { ...record, lastName: 'Murray', fullName: 'Grace Murray', updatedAt: updated.data.updatedAt },
  });
});

test.each([
  ['empty texts', { firstName: 'Empty', lastName: '', source: '' }],
  [
    'everything empty',
    { firstName: 'Blank', email: null, source: null, owner: null, tags: [], customFields: {} },
  ],
  ['everything equal to another field', { firstName: 'Same', lastName: 'Same', source: 'Same' }],
])('A new contact with %s is listed as it is read', async (_, body) => {
  const record = await contacts.created(body);
  expect((await contacts.read(record._id)).body.data).toEqual(record);
  const { New } = await contacts.board({ search: body.firstName });
  expect(New?.contacts).toEqual([record]);
});

test.each([{}, { firstName: '', lastName: '  ', phoneNumbers: [] }, { source: 'Web', email: null }])(
  'A new contact needs something to be recognised by: %j is refused',
  async (body) => {
    const response = await contacts.create(body);
    expect(response.status).toBe(400);
    expect(Object.keys(response.body)).toEqual(['error', 'message']);
    expect(response.body.message).toContain('firstName, lastName, email and phoneNumbers');
  },
);

test.each([{ lastName: 'L' }, { email: 'only@example.com' }, { phoneNumbers: [{ value: '+99912345' }] }])(
  'A new contact may have nothing but %j',
  async (body) => {
    expect((await contacts.create(body)).status).toBe(201);
  },
);

test('A new contact enters the stage named by id or by name, and an unknown one is a 404', async () => {
  const { stageIdByName } = (await contacts.list()).body;
  expect(await contacts.created({ firstName: 'By id', stageId: stageIdByName.Lost })).toMatchObject({
    stage: 'Lost',
    stageId: stageIdByName.Lost,
  });
  expect(
    await contacts.created({ firstName: 'Id wins', stageId: stageIdByName.Lost, stage: 'Won' }),
  ).toMatchObject({ stage: 'Lost' });
  for (const request of [{ stage: 'Nowhere' }, { stageId: 'nowhere' }, { pipelineId: 'nowhere' }]) {
    expect((await contacts.create({ firstName: 'Lost', ...request })).status).toBe(404);
  }
});

test('A new contact keeps to contacts’ pipelines: a stage of applications is a 404', async () => {
  const { stageIdByName } = (await contacts.list({ pipelineType: 'Application' })).body;
  expect((await contacts.create({ firstName: 'A', stageId: stageIdByName.Submitted })).status).toBe(404);
});

const sent = {
  _id: 'mine',
  organizationId: 'elsewhere',
  userId: 'me',
  createdBy: 'me',
  createdAt: '2000-01-01T00:00:00.000Z',
  updatedAt: '2000-01-01T00:00:00.000Z',
  fullName: 'Somebody Else',
  lastMessageAt: '2000-01-01T00:00:00.000Z',
  lastMessageDirection: 'inbound',
  conversationAssignees: ['me'],
  version: 7,
  unknown: { deep: true },
};

test('System fields and unknown fields of a client are ignored, at creation and in an update', async () => {
  const at = new Date();
  const plain = await contacts.created({ firstName: 'Plain' }, at);
  const { _id, createdAt, updatedAt, ...rest } = await contacts.created({ firstName: 'Plain', ...sent }, at);
  expect({ ...plain, _id, createdAt, updatedAt }).toEqual({ ...rest, _id, createdAt, updatedAt });
  expect([_id, createdAt, updatedAt]).not.toContain('mine');
  expect(createdAt > '2000-01-02').toBe(true);

  const updated = expectStatus(
    await contacts.update(plain._id, { ...sent, stage: 'Won', stageId: 'x', tags: ['t'] }),
    200,
  );
  expect(updated.data).toEqual({ ...plain, tags: ['t'], updatedAt: updated.data.updatedAt });
  expect(updated.data.updatedAt >= plain.updatedAt).toBe(true);
});

test('System fields and unknown fields of a client do not undo what messages left on the record', async () => {
  const { _id } = await contacts.created({ firstName: 'Touched' });
  const left = { lastMessageAt: new Date().toISOString(), lastMessageDirection: 'outbound' as const };
  await touch(product, admin.organizationId, _id, left);
  expect(expectStatus(await contacts.update(_id, { firstName: 'Still', ...sent }), 200).data).toMatchObject(
    left,
  );
});

test('An update leaves what is absent, clears what is null, replaces lists and custom fields whole', async () => {
  const record = await contacts.created({
    firstName: 'Full',
    lastName: 'House',
    email: 'full@example.com',
    source: 'Web',
    phoneNumbers: [{ value: newPhoneNumber() }],
    tags: ['a', 'b'],
    customFields: { a: 1, b: 2 },
    assignees: [rep.userId],
  });
  const body = { email: null, source: null, owner: null, tags: ['c'], customFields: { b: 3 }, assignees: [] };
  const at = new Date(Date.now() + 5_000);
  const updated = expectStatus(await contacts.update(record._id, body, at), 200).data;
  expect(updated).toEqual({ ...record, ...body, updatedAt: at.toISOString() });
  expect((await contacts.read(record._id)).body.data).toEqual(updated);
});

test('An update cannot take the last thing by which the contact is recognised', async () => {
  const { _id } = await contacts.created({ email: 'last@example.com' });
  expect((await contacts.update(_id, { email: null })).status).toBe(400);
  expect((await contacts.read(_id)).body.data.email).toBe('last@example.com');
});

test('An update keeps each tag and each assignee once', async () => {
  const record = await contacts.created({
    firstName: 'Twice',
    tags: ['a', ' a ', 'b'],
    assignees: [rep.userId, head.userId, rep.userId],
  });
  expect(record).toMatchObject({ tags: ['a', 'b'], assignees: [rep.userId, head.userId] });
});

test('The owner and the assignees are named where they stand in the request, repetitions included', async () => {
  const assignees = [rep.userId, rep.userId, 'nobody'];
  expect((await contacts.create({ firstName: 'New', assignees })).body.message).toMatch(/^assignees\[2\] /);
});

test('The owner and the assignees may be the same person', async () => {
  const { userId } = rep;
  expect(await contacts.created({ firstName: 'Both', owner: userId, assignees: [userId] })).toMatchObject({
    owner: userId,
    assignees: [userId],
  });
});

test('A contact that is deleted is gone from reads and from the board, and a second delete finds nothing', async () => {
  const record = await contacts.created({ firstName: 'Short-lived' });
  expect(outcome(await contacts.remove(record._id))).toEqual({
    status: 200,
    body: { success: true, message: 'Contact deleted' },
  });
  for (const response of [
    await contacts.read(record._id),
    await contacts.update(record._id, { firstName: 'Back' }),
    await contacts.move(record._id, { stage: 'Won' }),
    await contacts.remove(record._id),
  ]) {
    expect(outcome(response)).toEqual({ status: 404, body: missing });
  }
  expect(await contacts.everything({ search: 'Short-lived' })).toEqual([]);
});
