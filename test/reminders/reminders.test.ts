import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, outcome } from '../harness/tenants.ts';

const tenants = await setUpTenants();
const { product, admin, head, otherRep, otherHead, newContact } = tenants;

const create = ({ token }: Person, body: Record<string, unknown>) =>
  product.call('create-reminder', { token, body });
const remind = async (person: Person, contactId: string, remindAt = '2027-01-15T09:00:00Z') =>
  expectStatus(await create(person, { contactId, note: 'Call back', remindAt }), 201).data;
const list = async ({ token }: Person, query: Record<string, string> = {}) =>
  expectStatus(await product.call('list-reminders', { token, query }), 200);
const remove = ({ token }: Person, id: string) => product.call('delete-reminder', { token, path: { id } });
const ids = ({ data }: { data: { _id: string }[] }) => data.map(({ _id }) => _id);

test('A reminder has the fields of the contract, and has not fired', async () => {
  const { _id: contactId } = await newContact();
  expect(
    outcome(
      await create(tenants.rep, { contactId, note: ' Call back ', remindAt: '2027-01-15T09:00+01:00' }),
    ),
  ).toEqual({
    status: 201,
    body: {
      success: true,
      message: 'Reminder created',
      data: {
        _id: expect.stringMatching(/^[A-Za-z0-9_-]{1,128}$/),
        contactId,
        createdBy: tenants.rep.userId,
        note: 'Call back',
        remindAt: '2027-01-15T08:00:00.000Z',
        fired: false,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    },
  });
});

test('A reminder is deleted by its maker or a head, and by no other colleague', async () => {
  const { _id: contactId } = await newContact({ assignees: [otherRep.userId] });
  const [first, second] = [await remind(tenants.rep, contactId), await remind(tenants.rep, contactId)];
  expect((await remove(otherRep, first._id)).body).toEqual({
    success: false,
    message: 'Only its creator or a DEPARTMENT_HEAD may do this.',
  });
  expect((await remove(tenants.rep, first._id)).body).toEqual({ success: true, message: 'Reminder deleted' });
  expect((await remove(head, second._id)).status).toBe(200);
  expect((await remove(tenants.rep, first._id)).status).toBe(404);
  expect(ids(await list(tenants.rep, { contactId }))).toEqual([]);
});

test("A reminder of a contact that was given away is still its maker's to delete", async () => {
  const contacts = contactsClient(product, admin);
  const { _id: contactId } = await contacts.created({ firstName: 'Given', owner: tenants.rep.userId });
  const { _id } = await remind(tenants.rep, contactId);
  await arrange(contacts.update(contactId, { owner: otherRep.userId }));
  expect(ids(await list(tenants.rep))).toContain(_id);
  expect((await remove(otherHead, _id)).status).toBe(404);
  expect((await remove(tenants.rep, _id)).status).toBe(200);
  expect(ids(await list(tenants.rep))).not.toContain(_id);
});

test.each([
  ['9999-12-31T23:59:59-14:00', '9999-12-31T23:59:59.999Z'],
  ['0000-01-01T00:00:00+14:00', '0000-01-01T00:00:00.000Z'],
])('A reminder for %s, beyond the years that sort as text, is for %s', async (remindAt, expected) => {
  const { _id: contactId } = await newContact();
  expect((await remind(tenants.rep, contactId, remindAt)).remindAt).toBe(expected);
});

test("Reminders of a contact come newest first; a user's own by the time they are for, page by page", async () => {
  const rep = await product.newColleague(admin);
  const contacts = contactsClient(product, rep);
  const one = (await contacts.created({ firstName: 'One' }))._id;
  const other = (await contacts.created({ firstName: 'Other' }))._id;
  const late = await remind(rep, one, '2027-03-01');
  const early = await remind(rep, one, '2027-01-01');
  const middle = await remind(rep, other, '2027-02-01');
  expect(ids(await list(rep, { contactId: one }))).toEqual([early._id, late._id]);
  const first = await list(rep, { limit: '2' });
  expect(ids(first)).toEqual([early._id, middle._id]);
  const second = await list(rep, { limit: '2', cursor: first.nextCursor });
  expect(ids(second)).toEqual([late._id]);
  expect(second.nextCursor).toBeNull();
});
