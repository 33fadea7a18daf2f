import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';

const { product, admin, head, rep, otherRep } = await setUpTenants();

const created = async ({ token }: Person, body: Record<string, unknown>): Promise<string> =>
  expectStatus(await product.call('create-contact', { token, body }), 201).data._id;

const duplicates = async ({ token }: Person, id: string) =>
  expectStatus(await product.call('list-duplicates', { token, path: { id } }), 200).data.map(
    ({ contact, reasons }: { contact: { _id: string }; reasons: string[] }) => [contact._id, ...reasons],
  );

test('Contacts with the same number, address or name are found, those with the strongest reasons first', async () => {
  const id = await created(admin, {
    firstName: 'Ágnes',
    lastName: 'Keleti',
    email: 'Agnes@Example.com',
    phoneNumbers: [{ value: '+44 20 7946 0321' }, { value: '+36 1 555 0321' }],
  });
  const byName = await created(admin, { firstName: 'AGNES', lastName: 'keleti' });
  const byNumber = await created(admin, { firstName: 'A.', phoneNumbers: [{ value: '+33 6 79 46 03 21' }] });
  const byEmail = await created(admin, { firstName: 'Somebody', email: 'AGNES@example.com' });
  const byAll = await created(admin, {
    ...{ firstName: 'agnes', lastName: 'Keleti', email: 'agnes@example.com' },
    phoneNumbers: [{ value: '+49 30 79460321' }],
  });
  expect(await duplicates(admin, id)).toEqual([
    [byAll, 'phone', 'email', 'name'],
    [byNumber, 'phone'],
    [byEmail, 'email'],
    [byName, 'name'],
  ]);
  expect(await duplicates(admin, byName)).toEqual([
    [id, 'name'],
    [byAll, 'name'],
  ]);
});

test('Names that contain the name, and numbers that end otherwise, are no duplicates', async () => {
  const id = await created(admin, {
    ...{ firstName: 'Ann', lastName: 'Oakley' },
    phoneNumbers: [{ value: '+999 5512 345678' }],
  });
  await created(admin, { firstName: 'Joann', lastName: 'Oakley' });
  await created(admin, { firstName: 'Oakley', lastName: 'Ann' });
  await created(admin, { firstName: 'Ann' });
  await created(admin, { firstName: 'B', phoneNumbers: [{ value: '+999 1234 5678 90' }] });
  expect(await duplicates(admin, id)).toEqual([]);
});

test('Two unknown callers are not the same person by the name that stands for both', async () => {
  const unknown = { firstName: 'Unknown', lastName: 'Sender', source: 'Incoming SMS' };
  const caller = { firstName: 'Unknown Sender', lastName: '', source: 'Incoming SMS' };
  const id = await created(admin, caller);
  await created(admin, caller);
  const named = await created(admin, unknown);
  expect(await duplicates(admin, id)).toEqual([]);
  expect(await duplicates(admin, named)).toEqual([]);
});

test('Duplicates of a contact are found on the boards of all pipelines', async () => {
  const body = { name: 'Others', type: 'Contact', stages: [{ name: 'First' }] };
  const { data } = expectStatus(await product.call('create-pipeline', { token: admin.token, body }), 201);
  const id = await created(admin, { firstName: 'Wanda', lastName: 'Rutkiewicz' });
  const other = await created(admin, {
    ...{ firstName: 'Wanda', lastName: 'Rutkiewicz' },
    pipelineId: data._id,
  });
  expect(await duplicates(admin, id)).toEqual([[other, 'name']]);
});

test('Everybody finds the duplicates in their own scope alone', async () => {
  const name = { firstName: 'Junko', lastName: 'Tabei', email: 'junko@example.com' };
  const own = await created(rep, name);
  const others = await created(otherRep, name);
  const admins = await created(admin, name);
  expect(await duplicates(rep, own)).toEqual([]);
  expect(await duplicates(head, own)).toEqual([]);
  expect(await duplicates(admin, own)).toEqual([
    [others, 'email', 'name'],
    [admins, 'email', 'name'],
  ]);
  const response = await product.call('list-duplicates', { token: rep.token, path: { id: others } });
  expect(response.status).toBe(404);
});

test('At most 50 duplicates are named, however many there are', async () => {
  const name = { firstName: 'Same', lastName: 'Everywhere' };
  const [id] = await Promise.all(Array.from({ length: 60 }, () => created(admin, name)));
  expect(await duplicates(admin, id ?? '')).toHaveLength(50);
});
