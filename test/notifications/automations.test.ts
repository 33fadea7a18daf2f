import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, outcome } from '../harness/tenants.ts';
import { setDisabled } from '../organizations/client.ts';
import { countUnread, readEveryNotification } from './client.ts';

const { product, superadmin, admin, rep, head, otherRep, newContact } = await setUpTenants();
const nameOf = async ({ userId }: Person): Promise<string> =>
  (await arrange(product.call('read-user', { token: admin.token, path: { id: userId } }))).data.fullName;
const notify = (by: Person, contactId: string, user: Person, message = 'Call back') =>
  product.call('notify-user', { token: by.token, body: { contactId, userId: user.userId, message } });

test('A user is notified of a contact at once, with the name of the author, its name and the beginning of the text on one line', async () => {
  const { _id } = await newContact();
  const { body, status } = await notify(admin, _id, rep, `Call\n ${'x'.repeat(300)}`);
  expect({ status, message: body.message }).toEqual({ status: 201, message: 'User notified' });
  const message = `Call ${'x'.repeat(194)}…`;
  const stored = {
    type: 'automation',
    title: `${await nameOf(admin)} about Secret Person`,
    message,
    contactId: _id,
    isRead: false,
  };
  expect(body.data).toMatchObject({ ...stored, userId: rep.userId });
  expect(await readEveryNotification(product, rep)).toEqual([body.data]);
  expect(await countUnread(product, rep)).toBe(1);
});

test('The title says who notifies, even for somebody from outside, whatever the text claims', async () => {
  const { _id } = await newContact();
  const { body } = await notify(rep, _id, head, 'Switchboard: sign in again');
  expect(body.data.title).toBe(`${await nameOf(rep)} about Secret Person`);
  const outside = await product.call('notify-user', {
    ...{ token: superadmin.token, headers: { 'x-organization-id': admin.organizationId } },
    body: { contactId: _id, userId: head.userId, message: 'Call back' },
  });
  expect(outside.body.data.title).toBe('Someone outside this organization about Secret Person');
});

test('Whoever sees a contact may notify themselves', async () => {
  const { _id } = await newContact();
  expectStatus(await notify(rep, _id, rep), 201);
  expect((await readEveryNotification(product, rep)).map(({ contactId }) => contactId)).toContain(_id);
});

test('A user who is disabled, wants no such notifications or cannot see the contact gets none, and the response is 200 and says why', async () => {
  const { _id } = await newContact();
  const [disabled, unwilling] = [
    await product.newColleague(admin, 'ADMIN'),
    await product.newColleague(admin, 'ADMIN'),
  ];
  await setDisabled(product, admin, disabled, true);
  await arrange(
    product.call('update-notification-preferences', {
      token: unwilling.token,
      body: { automationTriggers: false },
    }),
  );
  for (const [user, why] of [
    [disabled, 'the user is disabled'],
    [unwilling, 'the user has turned off such notifications'],
    [otherRep, 'the user cannot see the contact'],
  ] as const) {
    expect(outcome(await notify(rep, _id, user))).toEqual({
      status: 200,
      body: { success: true, message: `Not notified: ${why}`, data: null },
    });
  }
  expect(await readEveryNotification(product, unwilling)).toEqual([]);
  expect(await readEveryNotification(product, otherRep)).toEqual([]);
  expect((await notify(rep, _id, head)).body.message).toBe('User notified');
});
