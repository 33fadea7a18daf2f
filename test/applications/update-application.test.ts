import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, outcome } from '../harness/tenants.ts';
import { applicationsClient } from './client.ts';

/** Decisions 10, "Application": `PUT /api/applications/{id} {name, customFields}` (`customFields` is replaced whole). */

const { product, admin, rep } = await setUpTenants();
const clientOf = (person: Person) => applicationsClient(product, person);
const { update, read, created, manage } = clientOf(rep);
const { _id: contactId } = await contactsClient(product, rep).created({ firstName: 'Ada' });
const newApplication = () => created({ contactId, name: 'Loan', customFields: { limit: 5, term: 'long' } });

test('PUT /api/applications/{id} changes what is sent, keeps the rest, and replaces customFields whole', async () => {
  const before = await newApplication();
  const at = new Date(Date.now() + 5_000);
  const { status, body } = await update(before._id, { customFields: { limit: 9 } }, at);
  const after = { ...before, customFields: { limit: 9 }, updatedAt: at.toISOString() };
  expect({ status, body }).toEqual({
    status: 200,
    body: { success: true, message: 'Application updated', data: after },
  });
  expect((await update(before._id, { name: '  Larger loan ' }, at)).body.data).toEqual({
    ...after,
    name: 'Larger loan',
  });
  expect((await read(before._id)).body.data).toEqual({ ...after, name: 'Larger loan' });
  expect((await update(before._id, { customFields: {} }, at)).body.data.customFields).toEqual({});
});

test('PUT /api/applications/{id} neither moves the application nor changes its history', async () => {
  const before = await newApplication();
  const { history } = (await manage(before._id)).body.data;
  await update(before._id, { name: 'New', stage: 'Approved', stageId: 'x', contactId: 'y', userId: 'z' });
  const after = (await manage(before._id)).body.data;
  expect(after.history).toEqual(history);
  expect(after.application).toEqual({ ...before, name: 'New', updatedAt: expect.any(String) });
});

test('PUT /api/applications/{id} that changes nothing says so, keeps updatedAt and emits no event; one that does emits exactly one', async () => {
  const before = await newApplication();
  const events = async () =>
    (await readEvents(product, admin.organizationId)).filter(({ data }) => data.applicationId === before._id);
  expect(await events()).toHaveLength(1);
  for (const body of [{}, { name: 'Loan' }, { name: null, customFields: null }]) {
    expect(outcome(await update(before._id, body))).toEqual({
      status: 200,
      body: { success: true, message: 'No changes', data: before },
    });
  }
  expect(await events()).toHaveLength(1);
  const { data } = expectStatus(await update(before._id, { name: 'New' }), 200);
  const [, event] = await events();
  expect(event).toMatchObject({ event: 'contact_updated', data: { contactId, application: data } });
  expect(await events()).toHaveLength(2);
});

test('PUT /api/applications/{id} by two people at once, each another field, keeps both changes', async () => {
  const { _id } = await newApplication();
  const responses = await Promise.all([
    update(_id, { name: 'Named' }),
    clientOf(admin).update(_id, { customFields: { by: 'admin' } }),
    clientOf(admin).move(_id, { stage: 'Approved' }),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await read(_id)).body.data).toMatchObject({
    name: 'Named',
    customFields: { by: 'admin' },
    stage: 'Approved',
  });
});
