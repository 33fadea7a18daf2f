import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, outcome } from '../harness/tenants.ts';
import { contactsClient, newContactsClient } from './client.ts';
import { rowsOfOrganization } from './raw-table.ts';

const { product, admin, rep, otherRep } = await setUpTenants();
const contacts = contactsClient(product, admin);

let ids = 0;
const newExternalId = () => `crm:${++ids}`;

const taken = (contactId: string) => ({
  error: 'External id taken',
  message: 'Another contact of this organization already has this externalId.',
  contactId,
});

test('The id of another system stays as it was sent, and is read and listed with the contact', async () => {
  const created = await contacts.created({ firstName: 'Ada', externalId: '  Crm/Ä-1 ' });
  expect(created.externalId).toBe('Crm/Ä-1');
  expect((await contacts.read(created._id)).body.data).toEqual(created);
  expect((await contacts.board({ search: 'ada' })).New?.contacts).toEqual([created]);
  expect((await contacts.board({})).New?.contacts).toEqual([created]);
});

test('The id of another system is set, kept and cleared by an update; an empty one is none', async () => {
  const externalId = newExternalId();
  const { _id } = await contacts.created({ firstName: 'Update', externalId: '' });
  const update = async (body: object) => expectStatus(await contacts.update(_id, { ...body }), 200);
  expect((await contacts.read(_id)).body.data.externalId).toBeNull();
  expect((await update({ externalId: null })).message).toBe('No changes');
  expect((await update({ externalId })).data.externalId).toBe(externalId);
  expect((await update({ externalId })).message).toBe('No changes');
  expect((await update({ lastName: 'Kept' })).data.externalId).toBe(externalId);
  expect((await update({ externalId: null })).data.externalId).toBeNull();
});

test('The id of another system belongs to one contact: another, new or edited, gets a 409 that says whose it is', async () => {
  const externalId = newExternalId();
  const { _id: holder } = await contacts.created({ firstName: 'Holder', externalId });
  const { _id: other } = await contacts.created({ firstName: 'Other' });
  for (const response of [
    await contacts.create({ firstName: 'New', externalId }),
    await contacts.update(other, { externalId }),
  ]) {
    expect(outcome(response)).toEqual({ status: 409, body: taken(holder) });
  }
  // Letters in another case make another id.
  expect((await contacts.create({ firstName: 'Case', externalId: externalId.toUpperCase() })).status).toBe(
    201,
  );
  expect((await (await newContactsClient(product)).create({ firstName: 'Else', externalId })).status).toBe(
    201,
  );
});

test('The 409 for the id of another system names the contact only to those who may see it', async () => {
  const externalId = newExternalId();
  const { _id } = await contactsClient(product, rep).created({ firstName: 'Reps', externalId });
  const { contactId: _, ...unnamed } = taken(_id);
  const create = (person: typeof rep) =>
    contactsClient(product, person).create({ firstName: 'Again', externalId });
  expect(outcome(await create(otherRep))).toEqual({ status: 409, body: unnamed });
  expect(outcome(await create(rep))).toEqual({ status: 409, body: taken(_id) });
});

test('The id of another system is free again once its contact has another one or is deleted', async () => {
  const [first, second] = [newExternalId(), newExternalId()];
  const { _id } = await contacts.created({ firstName: 'Free', externalId: first });
  expect((await contacts.update(_id, { externalId: second })).status).toBe(200);
  expect((await contacts.create({ firstName: 'First', externalId: first })).status).toBe(201);
  await arrange(contacts.remove(_id));
  expect((await contacts.create({ firstName: 'Second', externalId: second })).status).toBe(201);
});

test('Of twenty contacts with the same id of another system that are created at once, one comes to be', async () => {
  const externalId = newExternalId();
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, n) => contacts.create({ firstName: `Twenty ${n}`, externalId })),
  );
  expect(all.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
});

test('Keys of the table have neither the id of another system nor the email address, and none is left of a deleted contact', async () => {
  const { admin: own, ...others } = await newContactsClient(product);
  const { _id } = await others.created({ externalId: 'secret-id', email: 'secret@example.com' });
  const keys = async () =>
    (await rowsOfOrganization(product, own.organizationId, '')).map(({ pk, sk }) => `${pk} ${sk}`);
  const found = await keys();
  expect(found.filter((key) => /#(EXTERNAL_ID|EMAIL)#/.test(key))).toHaveLength(2);
  expect(found.join().toLowerCase()).not.toContain('secret');
  await arrange(others.remove(_id));
  expect((await keys()).filter((key) => /#(EXTERNAL_ID|EMAIL)#/.test(key))).toEqual([]);
});
