import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventFor, knownSubscriber } from '../../functions/live/model/audience.ts';
import { readUsers } from '../../shared/organizations/visibility.ts';
import { mailClient } from '../auth/mail-client.ts';
import { newcomer } from '../auth/records.ts';
import { eventReader } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange } from '../harness/tenants.ts';

const product = await setUpProduct();
const mail = await mailClient(product);
const admin = await product.newOrganization();
const rep = await product.newColleague(admin);
const newEvents = eventReader(product, admin.organizationId);

/** What the sockets of a person have been told of users and invitations since the last time. */
async function toldTo(...people: readonly Person[]) {
  const users = await readUsers(product.tableOf(admin.organizationId).table);
  const events = await newEvents();
  return people.map((person) => {
    const subscriber = knownSubscriber(person.userId, users);
    return events
      .flatMap((event) => (subscriber && eventFor(subscriber, event)) ?? [])
      .filter(({ event }) => event === 'user_updated' || event === 'invitation_updated')
      .map(({ event, data }) => [event, data]);
  });
}

const inAnyOrder = (told: readonly unknown[]) => told.map((one) => JSON.stringify(one)).sort();

const update = (by: Person, { userId: id }: Person, body: object) =>
  product.call('update-user', { token: by.token, path: { id }, body });

test('Every member is told of a user who was changed, with the names of the fields that have another value', async () => {
  const user = await product.newColleague(admin);
  const { data } = await arrange(
    product.call('create-department', { token: admin.token, body: { name: 'Sales' } }),
  );
  await toldTo(rep);
  for (const [body, changed] of [
    [{ firstName: 'Grace', lastName: 'Person' }, ['firstName']],
    [{ accessRole: 'DEPARTMENT_HEAD', departmentIds: [data._id] }, ['accessRole', 'departmentIds']],
    [{ disabled: true }, ['disabled']],
    [{ conversationOpenPreference: 'first_unread', disabled: null }, ['conversationOpenPreference']],
  ] as const) {
    await arrange(update(admin, user, body));
    const told = [['user_updated', { userId: user.userId, change: 'updated', changed }]];
    expect(await toldTo(rep, admin)).toEqual([told, told]);
  }
});

test('Nobody is told of a change of a user that sets what is set already, or that is refused', async () => {
  const user = await product.newColleague(admin);
  await toldTo(rep);
  await arrange(update(admin, user, { firstName: 'Test', accessRole: 'SALES_REP', disabled: false }));
  expect((await update(rep, user, { firstName: 'Grace' })).status).toBe(403);
  expect(await toldTo(rep, admin)).toEqual([[], []]);
});

test('Every member is told of a user whom an ADMIN registers, and of none whose registration is refused', async () => {
  await toldTo(rep);
  const body = newcomer();
  const { user } = await arrange(product.call('register', { token: admin.token, body }));
  expect((await product.call('register', { token: admin.token, body })).status).toBe(409);
  const told = [['user_updated', { userId: user.id, change: 'created', changed: [] }]];
  expect(await toldTo(rep, admin)).toEqual([told, told]);
});

test('Administrators alone are told what becomes of an invitation, and every member of the user who accepts it', async () => {
  const told = (invitationId: string, change: string) => ['invitation_updated', { invitationId, change }];
  await toldTo(rep);
  const body = { email: `${randomUUID()}@example.com` };
  const first = (await arrange(mail.invite(admin, body))).data._id;
  expect(await toldTo(rep, admin)).toEqual([[], [told(first, 'created')]]);
  await mail.settle();
  expect(await toldTo(rep, admin)).toEqual([[], [told(first, 'updated')]]);

  const { id, token } = await mail.invited(admin, body);
  const [ofRep, ofAdmin = []] = await toldTo(rep, admin);
  expect(ofRep).toEqual([]);
  expect(inAnyOrder(ofAdmin)).toEqual(
    inAnyOrder([told(first, 'deleted'), told(id, 'created'), told(id, 'updated')]),
  );

  const { user } = await arrange(mail.accept(token));
  const joined = ['user_updated', { userId: user.id, change: 'created', changed: [] }];
  const [byRep, byAdmin = []] = await toldTo(rep, admin);
  expect(byRep).toEqual([joined]);
  expect(inAnyOrder(byAdmin)).toEqual(inAnyOrder([joined, told(id, 'updated')]));

  const other = await mail.invited(admin, { email: `${randomUUID()}@example.com` });
  await toldTo(rep);
  await arrange(product.call('delete-invitation', { token: admin.token, path: { id: other.id } }));
  expect(await toldTo(rep, admin)).toEqual([[], [told(other.id, 'deleted')]]);
});

test('Administrators are told once that an invitation is deleted, also if its address is invited again', async () => {
  const told = (invitationId: string, change: string) => ['invitation_updated', { invitationId, change }];
  const body = { email: `${randomUUID()}@example.com` };
  const invite = async () => (await arrange(mail.invite(admin, body))).data._id;
  const first = await invite();
  await arrange(product.call('delete-invitation', { token: admin.token, path: { id: first } }));
  await toldTo(admin);
  const second = await invite();
  expect(await toldTo(admin)).toEqual([[told(second, 'created')]]);
  const third = await invite();
  const [ofAdmin = []] = await toldTo(admin);
  expect(inAnyOrder(ofAdmin)).toEqual(inAnyOrder([told(second, 'deleted'), told(third, 'created')]));
});
