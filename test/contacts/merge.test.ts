import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';

const { product, admin, rep, otherRep } = await setUpTenants();

type Body = Record<string, unknown>;

const created = async ({ token }: Person, body: Body): Promise<string> =>
  expectStatus(await product.call('create-contact', { token, body }), 201).data._id;

const merge = ({ token }: Person, id: string, from: string, prefer?: Body) =>
  product.call('merge-contact', { token, path: { id }, body: { from, ...(prefer && { prefer }) } });

const read = ({ token }: Person, id: string) => product.call('read-contact', { token, path: { id } });

const list = async (name: string, { token }: Person, query: Record<string, string>) =>
  expectStatus(await product.call(name, { token, query }), 200).data;

test('The contact has the fields of both: empty ones are filled, lists joined, the other owner becomes an assignee', async () => {
  const [own, others] = [newPhoneNumber(), newPhoneNumber()];
  const id = await created(rep, {
    ...{ firstName: 'Ida', tags: ['a', 'b'], customFields: { size: 'S', colour: '' } },
    phoneNumbers: [{ value: own }],
  });
  const from = await created(otherRep, {
    ...{
      firstName: 'Ida B.',
      lastName: 'Wells',
      email: 'ida@example.com',
      tags: ['B', 'c'],
      externalId: 'x-1',
    },
    customFields: { size: 'L', colour: 'red' },
    phoneNumbers: [{ value: others }],
  });
  const { data, changeId } = expectStatus(await merge(admin, id, from), 200);
  expect(data).toMatchObject({
    ...{ _id: id, firstName: 'Ida', lastName: 'Wells', email: 'ida@example.com', externalId: 'x-1' },
    ...{ tags: ['a', 'b', 'c'], customFields: { size: 'S', colour: 'red' } },
    ...{ owner: rep.userId, assignees: [otherRep.userId] },
    phoneNumbers: [
      { value: own, isPrimary: true },
      { value: others, isPrimary: false },
    ],
  });
  expect(changeId).toEqual(expect.any(String));
  expect(expectStatus(await read(rep, id), 200).data).toEqual(data);
});

test('`prefer` takes the value of the other contact where both have one', async () => {
  const id = await created(rep, { firstName: 'One', source: 'Radio', customFields: { a: 1, b: 1 } });
  const from = await created(rep, { firstName: 'Two', source: 'Web', customFields: { a: 2, c: 2 } });
  const prefer = { firstName: 'from', customFields: 'from' };
  const { data } = expectStatus(await merge(rep, id, from, prefer), 200);
  expect(data).toMatchObject({ firstName: 'Two', source: 'Radio', customFields: { a: 2, b: 1, c: 2 } });
});

test('Reading the other contact is 404, with where it went for who may see that contact alone', async () => {
  const id = await created(admin, { firstName: 'Kept' });
  const from = await created(admin, { firstName: 'Gone', assignees: [] });
  await arrange(merge(admin, id, from));
  const seen = await read(admin, from);
  expect(seen).toMatchObject({ status: 404, body: { message: 'Contact not found', mergedInto: id } });
  const unseen = await read(otherRep, from);
  expect(unseen.status).toBe(404);
  expect(unseen.body).not.toHaveProperty('mergedInto');
});

test('Whoever may not see one of both cannot merge them', async () => {
  const [own, others] = [await created(rep, { firstName: 'A' }), await created(otherRep, { firstName: 'B' })];
  expect((await merge(rep, own, others)).status).toBe(404);
  expect((await merge(rep, others, own)).status).toBe(404);
  expect((await merge(rep, own, own)).status).toBe(400);
  expect((await read(otherRep, others)).status).toBe(200);
});

test('Numbers, addresses and ids of other systems of both find the contact', async () => {
  const [number, taken] = [newPhoneNumber(), newPhoneNumber()];
  const id = await created(rep, { firstName: 'A', externalId: 'own-1', phoneNumbers: [{ value: taken }] });
  const from = await created(rep, { firstName: 'B', externalId: 'own-2', phoneNumbers: [{ value: number }] });
  await arrange(merge(rep, id, from));
  const body = { firstName: 'C', phoneNumbers: [{ value: number }] };
  const refused = await product.call('create-contact', { token: rep.token, body });
  expect(refused).toMatchObject({ status: 409, body: { contactId: id } });
  const again = await product.call('create-contact', {
    token: rep.token,
    body: { firstName: 'D', externalId: 'own-2' },
  });
  expect(again).toMatchObject({ status: 409, body: { contactId: id } });
});

test('Notes, reminders and applications of both are listed together, and keep their ids', async () => {
  const call = async (name: string, more: object) =>
    expectStatus(await product.call(name, { token: rep.token, ...more }), 201).data._id as string;
  const [id, from] = [await created(rep, { firstName: 'A' }), await created(rep, { firstName: 'B' })];
  const made = async (contactId: string) => ({
    note: await call('create-note', { body: { contactId, note: 'Hello' } }),
    reminder: await call('create-reminder', {
      body: { contactId, note: 'Call', remindAt: '2031-01-01T00:00:00Z' },
    }),
    application: await call('create-application', { body: { contactId, name: 'Loan' } }),
  });
  const [ofFrom, ofId] = [await made(from), await made(id)];
  await arrange(merge(rep, id, from));
  const later = await made(id);
  for (const [name, kind] of [
    ['list-notes', 'note'],
    ['list-reminders', 'reminder'],
    ['list-applications', 'application'],
  ] as const) {
    const listed = await list(name, rep, { contactId: id });
    expect(
      listed.map(({ _id }: Body) => _id),
      name,
    ).toEqual([later[kind], ofId[kind], ofFrom[kind]]);
  }
  const reminders = await list('list-reminders', rep, { contactId: id });
  expect(new Set(reminders.map(({ contactId }: Body) => contactId))).toEqual(new Set([id]));
  const edit = { path: { id: ofFrom.note }, body: { note: 'Changed' }, token: rep.token };
  expect((await product.call('edit-note', edit)).status).toBe(200);
  expect((await product.call('toggle-reaction', { ...edit, body: { emoji: '👍' } })).status).toBe(200);
  expect(
    (await product.call('read-application', { token: rep.token, path: { id: ofFrom.application } })).body
      .data,
  ).toMatchObject({ contactId: id });
  const board = await product.call('list-contacts-by-stage', {
    token: rep.token,
    body: { pipelineType: 'Application' },
  });
  const cards = Object.values(
    expectStatus(board, 200).data as Record<string, { contacts: Body[]; total: number }>,
  );
  const mine = cards.flatMap(({ contacts }) => contacts).filter(({ _id }) => _id === id || _id === from);
  expect(mine.map(({ _id }) => _id)).toEqual([id, id, id]);
  for (const reminder of [ofFrom.reminder, ofId.reminder]) {
    expect((await product.call('delete-reminder', { token: rep.token, path: { id: reminder } })).status).toBe(
      200,
    );
  }
});
