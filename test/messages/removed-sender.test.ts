import { afterEach, beforeEach, expect, test } from 'vitest';
import { messageKey } from '../../shared/conversations/conversation.ts';
import { newcomerPolicies } from '../../shared/organizations/newcomer-policy.ts';
import { conversationsClient } from '../conversations/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange } from '../harness/world.ts';
import { assigned, type OrganizationsClient, organizationsClient } from '../organizations/client.ts';
import { outgoingOf } from './outgoing.ts';
import { recipientOf } from './recipient.ts';

const product = await setUpProduct();
const outgoing = await outgoingOf(product);
const superadmin = await product.newSuperadmin();
product.providers.newcomerPolicy = () => newcomerPolicies.approved;

let admin: Person;
let above: OrganizationsClient;
beforeEach(async () => {
  admin = await product.newOrganization();
  above = organizationsClient(product, superadmin, admin.organizationId);
});
afterEach(() => product.queues.outgoingTexts.take());

const remove = (phoneNumber: string) => arrange(above('remove-phone-number', undefined, { phoneNumber }));

/** What became of a message. */
async function stored(contactId: string, { _id, conversationId }: { _id: string; conversationId: string }) {
  const { table } = product.tableOf(admin.organizationId);
  return (await table.read(messageKey(contactId, conversationId, _id)))?.data;
}

/** Because of a number that the organization has no more. */
const numberLost = {
  status: 'failed',
  failure: {
    code: 'NUMBER_LOST',
    reason: 'The number that the message was to be sent from is no longer assigned. Send the message again.',
  },
};

test('A message that waits does not leave from a number that was removed meanwhile, and says why', async () => {
  const { phoneNumber } = await assigned(above, admin);
  const ada = await recipientOf(product, admin);
  const message = await ada.queue();
  await remove(phoneNumber);
  await outgoing.tellAll(admin);
  expect(ada.sent()).toEqual([]);
  expect(await stored(ada.contactId, message)).toMatchObject(numberLost);
  expect(await outgoing.records(admin)).toEqual([]);
});

test('A message that was postponed does not leave from a number that another organization has meanwhile', async () => {
  const { phoneNumber } = await assigned(above, admin);
  const ada = await recipientOf(product, admin);
  product.sms.behave(ada.to, 'unavailable');
  const message = await ada.queue();
  await outgoing.tellAll(admin);
  const other = await product.newOrganization();
  await remove(phoneNumber);
  await assigned(organizationsClient(product, superadmin, other.organizationId), other, { phoneNumber });
  product.sms.behave(ada.to, 'sends');
  await outgoing.tellDelayed();
  expect(ada.sent()).toEqual([]);
  expect(await stored(ada.contactId, message)).toMatchObject(numberLost);
});

test('A message that waits leaves from its number although another user of the organization has that meanwhile', async () => {
  const { phoneNumber } = await assigned(above, admin);
  const ada = await recipientOf(product, admin);
  await ada.queue();
  await remove(phoneNumber);
  await assigned(above, await product.newColleague(admin), { phoneNumber });
  await outgoing.tellAll(admin);
  expect(ada.sent()).toEqual(['Hello']);
});

test('A message that waits leaves from the standard sender only while the organization may use that', async () => {
  await arrange(above('update-text-settings', { standardSender: true }));
  const [ada, grace] = [await recipientOf(product, admin), await recipientOf(product, admin)];
  await ada.queue();
  await outgoing.tellAll(admin);
  const message = await grace.queue();
  await arrange(above('update-text-settings', { standardSender: null }));
  await outgoing.tellAll(admin);
  expect([ada.sent(), grace.sent()]).toEqual([['Hello'], []]);
  expect(await stored(grace.contactId, message)).toMatchObject({
    status: 'failed',
    failure: {
      code: 'NUMBER_LOST',
      reason:
        'Your organization may no longer send without a phone number of its own. Ask an ADMIN to assign one to you, then send the message again.',
    },
  });
});

test('A message of a user none of whose numbers is the default one is refused with what to do about it', async () => {
  await assigned(above, admin, { isDefault: false });
  const ada = await recipientOf(product, admin);
  const { status, body } = await conversationsClient(product, admin).send({
    contactId: ada.contactId,
    content: 'Hello',
  });
  expect([status, body.message]).toEqual([
    409,
    'None of your active phone numbers is your default number, which messages are sent from. Ask an ADMIN to make one of them your default.',
  ]);
});
