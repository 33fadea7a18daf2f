import { expect, test } from 'vitest';
import { conversationsClient, newConversation } from '../conversations/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { readEveryNotification } from './client.ts';
import { notifierIn } from './notifier.ts';

const tenants = await setUpTenants();
const { product, admin, rep, superadmin, newContact } = tenants;
const notifier = notifierIn(product, admin.organizationId);
const newColleague = () => product.newColleague(admin);
const update = (by: Person, contactId: string, body: object, headers: Record<string, string> = {}) =>
  arrange(product.call('update-contact', { token: by.token, path: { id: contactId }, body, headers }));
const lead = (configurationId: string, phoneNumber: string, more: object = {}) =>
  arrange(
    product.call('receive-lead', {
      body: { configurationId, phoneNumber, firstName: 'Mary', lastName: 'Somerville', ...more },
    }),
  );
const leadSource = async (ownerId: string) => {
  const body = { name: `Form ${newPhoneNumber()}`, source: 'Website', ownerId };
  const { data } = await arrange(product.call('create-outreach-configuration', { token: admin.token, body }));
  return data._id as string;
};

/** What a user was notified of, newest first. */
async function heard(person: Person) {
  await notifier.take();
  await notifier.takeAgain();
  return (await readEveryNotification(product, person)).map(({ type, title, message }) => [
    type,
    title,
    message,
  ]);
}

const assigned = (by = 'Test Person') => ['assignment', `${by} assigned a contact to you`, 'Secret Person'];

test('A new owner and new assignees of a contact are notified, once for each change', async () => {
  const [owner, assignee] = [await newColleague(), await newColleague()];
  const { _id } = await newContact();
  await update(admin, _id, { owner: owner.userId, assignees: [assignee.userId] });
  await update(admin, _id, { tags: ['vip'], assignees: [assignee.userId] });
  expect(await heard(owner)).toEqual([assigned()]);
  expect(await heard(assignee)).toEqual([assigned()]);
  await update(admin, _id, { owner: assignee.userId, assignees: [owner.userId] });
  expect(await heard(owner)).toEqual([assigned(), assigned()]);
  expect(await heard(assignee)).toEqual([assigned(), assigned()]);
});

test('Whoever creates a contact for somebody else notifies them, and nobody by taking one', async () => {
  const [maker, owner] = [await newColleague(), await newColleague()];
  const body = { firstName: 'Secret', lastName: 'Person', owner: owner.userId, assignees: [maker.userId] };
  await arrange(product.call('create-contact', { token: maker.token, body }));
  expect(await heard(owner)).toEqual([assigned()]);
  expect(await heard(maker)).toEqual([]);
  const { _id } = await newContact({ assignees: [maker.userId] });
  await update(maker, _id, { owner: maker.userId });
  expect(await heard(maker)).toEqual([assigned()]);
});

test('Somebody from another organization who assigns a contact is not named', async () => {
  const owner = await newColleague();
  const { _id } = await newContact();
  const headers = { 'x-organization-id': admin.organizationId };
  await update(superadmin, _id, { owner: owner.userId }, headers);
  expect(await heard(owner)).toEqual([assigned('Someone outside this organization')]);
});

test('Whoever is given a conversation is notified, without the name of a contact that they may not see', async () => {
  const [assignee, keeper] = [await newColleague(), await newColleague()];
  const { conversationId, contactId } = await newConversation(tenants);
  const body = { assignees: [assignee.userId, rep.userId], userId: keeper.userId };
  const before = (await heard(rep)).length;
  await arrange(conversationsClient(product, rep).update(conversationId, body));
  const title = 'Test Person assigned a conversation to you';
  expect(await heard(assignee)).toEqual([['assignment', title, 'Hello']]);
  expect(await heard(keeper)).toEqual([['assignment', title, 'Hello']]);
  expect(await heard(rep)).toHaveLength(before);
  const [notification] = await readEveryNotification(product, assignee);
  expect(notification).toMatchObject({ contactId, conversationId });
  await arrange(conversationsClient(product, rep).update(conversationId, { ...body, isResolved: true }));
  expect(await heard(assignee)).toHaveLength(1);
});

test('The owner of a contact is notified of each of its leads, whether it brings something new or not, but not of a repetition', async () => {
  const owner = await newColleague();
  const [configuration, phoneNumber] = [await leadSource(owner.userId), newPhoneNumber()];
  await lead(configuration, phoneNumber);
  const told = ['lead', 'Lead: Mary Somerville', `Website, ${phoneNumber}`];
  expect(await heard(owner)).toEqual([told]);
  await lead(configuration, phoneNumber);
  expect(await heard(owner)).toEqual([told]);
  await lead(configuration, phoneNumber, { budget: 500 });
  expect(await heard(owner)).toEqual([told, told]);
  await lead(configuration, phoneNumber, { firstName: 'Maria' });
  expect(await heard(owner)).toEqual([told, told, told]);
});

test('A lead of a contact that somebody else owns notifies that owner, and a lead without one nobody', async () => {
  const [owner, other] = [await newColleague(), await newColleague()];
  const phoneNumber = newPhoneNumber();
  const { _id } = await newContact({ phoneNumbers: [{ value: phoneNumber }] });
  await update(admin, _id, { owner: owner.userId });
  await lead(await leadSource(other.userId), phoneNumber, { budget: 500 });
  expect((await heard(owner)).map(([type]) => type)).toEqual(['lead', 'assignment']);
  expect(await heard(other)).toEqual([]);
});

test('A contact that was deleted before the stream delivered it notifies nobody', async () => {
  const owner = await newColleague();
  const { _id } = await newContact();
  await update(admin, _id, { owner: owner.userId });
  await arrange(product.call('delete-contact', { token: admin.token, path: { id: _id } }));
  expect(await heard(owner)).toEqual([]);
});
