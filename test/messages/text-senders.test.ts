import { afterEach, beforeEach, expect, test } from 'vitest';
import { messageKey } from '../../shared/conversations/conversation.ts';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import { conversationsClient } from '../conversations/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, failure, outcome } from '../harness/tenants.ts';
import { assigned, type OrganizationsClient, organizationsClient } from '../organizations/client.ts';
import { prepareRecipient } from './recipient.ts';
import { prepareScheduled } from './scheduled-client.ts';

const product = await setUpProduct();
const { run, nextTime, recipient, outgoing } = await prepareScheduled(product);
const superadmin = await product.newSuperadmin();
product.providers.trialPolicy = () => trialPolicies.approved;

let admin: Person;
let above: OrganizationsClient;
beforeEach(async () => {
  admin = await product.newOrganization();
  above = organizationsClient(product, superadmin, admin.organizationId);
});
afterEach(() => product.queues.outgoingTexts.take());

const remove = (phoneNumber: string) => arrange(above('remove-phone-number', undefined, { phoneNumber }));

/** What became of a message. */
async function stored({ _id, conversationId }: { _id: string; conversationId: string }) {
  const { table } = product.tableOf(admin.organizationId);
  return (await table.read(messageKey(conversationId, _id)))?.data;
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
  const ada = await prepareRecipient(product, admin);
  const message = await ada.queue();
  await remove(phoneNumber);
  await outgoing.tellAll(admin);
  expect(ada.sent()).toEqual([]);
  expect(await stored(message)).toMatchObject(numberLost);
  expect(await outgoing.records(admin)).toEqual([]);
});

test('A message that was postponed does not leave from a number that another organization has meanwhile', async () => {
  const { phoneNumber } = await assigned(above, admin);
  const ada = await prepareRecipient(product, admin);
  product.sms.behave(ada.to, 'unavailable');
  const message = await ada.queue();
  await outgoing.tellAll(admin);
  const other = await product.newOrganization();
  await remove(phoneNumber);
  await assigned(organizationsClient(product, superadmin, other.organizationId), other, { phoneNumber });
  product.sms.behave(ada.to, 'sends');
  await outgoing.tellDelayed();
  expect(ada.sent()).toEqual([]);
  expect(await stored(message)).toMatchObject(numberLost);
});

test('A message that waits leaves from its number although another user of the organization has that meanwhile', async () => {
  const { phoneNumber } = await assigned(above, admin);
  const ada = await prepareRecipient(product, admin);
  await ada.queue();
  await remove(phoneNumber);
  await assigned(above, await product.newColleague(admin), { phoneNumber });
  await outgoing.tellAll(admin);
  expect(ada.sent()).toEqual(['Hello']);
});

test('A message that waits leaves from the standard sender only while the organization may use that', async () => {
  await arrange(above('update-text-settings', { standardSender: true }));
  const [ada, grace] = [await prepareRecipient(product, admin), await prepareRecipient(product, admin)];
  await ada.queue();
  await outgoing.tellAll(admin);
  const message = await grace.queue();
  await arrange(above('update-text-settings', { standardSender: null }));
  await outgoing.tellAll(admin);
  expect([ada.sent(), grace.sent()]).toEqual([['Hello'], []]);
  expect(await stored(message)).toMatchObject({
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
  const ada = await prepareRecipient(product, admin);
  const { status, body } = await conversationsClient(product, admin).send({
    contactId: ada.contactId,
    content: 'Hello',
  });
  expect([status, body.message]).toEqual([
    409,
    'None of your active phone numbers is your default number, which messages are sent from. Ask an ADMIN to make one of them your default.',
  ]);
});

/** Somebody with two numbers. */
async function newAuthor() {
  const rep = await product.newColleague(admin);
  return { rep, first: await assigned(above, rep), second: await assigned(above, rep) };
}

const sentFrom = (to: string) =>
  product.sentMessages.filter((sent) => sent.to === to).map(({ from }) => from);
const refused = failure(
  409,
  'from is not one of your active phone numbers. Ask an ADMIN to assign it to you; if it is pending, a SUPERADMIN must approve it first.',
);

test('A text leaves from the number that its author chooses among their own, however it is written', async () => {
  const { rep, first, second } = await newAuthor();
  const ada = await recipient(rep);
  const send = (from?: string) =>
    ada.conversations.send({ contactId: ada.contactId, content: 'Hello', from });
  expectStatus(await send(), 201);
  expectStatus(await send(second.phoneNumber), 201);
  expectStatus(await send(second.phoneNumber.replace('+', '00')), 201);
  await outgoing.tellAll(rep);
  expect(sentFrom(ada.number)).toEqual([first.phoneNumber, second.phoneNumber, second.phoneNumber]);
});

test('A number of somebody else, of nobody, or one that waits for approval is refused', async () => {
  const { rep } = await newAuthor();
  const others = await assigned(above, admin);
  const pending = await assigned(organizationsClient(product, admin, admin.organizationId), rep);
  const ada = await recipient(rep);
  for (const from of [others.phoneNumber, '+15550199999', pending.phoneNumber]) {
    const response = await ada.conversations.send({ contactId: ada.contactId, content: 'Hello', from });
    expect(outcome(response)).toEqual(refused);
  }
  const response = await ada.conversations.send({ contactId: ada.contactId, content: 'Hello', from: 'Bank' });
  expect(response).toMatchObject({
    status: 400,
    body: { message: 'from must be an E.164 phone number, like +15551234567' },
  });
});

test('A scheduled text leaves from the chosen number at its time, and fails if its author no longer has it', async () => {
  const { rep, second } = await newAuthor();
  const [ada, eve, at] = [await recipient(rep), await recipient(rep), nextTime()];
  const third = await assigned(above, rep);
  await ada.scheduled(at, { from: second.phoneNumber });
  await eve.scheduled(at, { from: third.phoneNumber });
  await above('remove-phone-number', undefined, { phoneNumber: third.phoneNumber });
  expect(await run(at)).toMatchObject({ queued: 1, failed: 1 });
  await outgoing.tellAll(rep, at);
  expect(sentFrom(ada.number)).toEqual([second.phoneNumber]);
  expect(await eve.messages()).toMatchObject([
    {
      status: 'failed',
      failure: {
        code: 'NUMBER_LOST',
        reason:
          'The number that the message was to be sent from is no longer an active number of the user who scheduled it. Send the message again.',
      },
    },
  ]);
});
