import { expect, test } from 'vitest';
import { newcomerPolicies } from '../../shared/organizations/newcomer-policy.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, failure, outcome } from '../harness/world.ts';
import { assigned, organizationsClient } from '../organizations/client.ts';
import { scheduledOf } from './scheduled-client.ts';

const product = await setUpProduct();
const superadmin = await product.newSuperadmin();
const { run, nextTime, recipient, outgoing } = await scheduledOf(product);
const admin = await product.newOrganization();
const rep = await product.newColleague(admin);
const above = organizationsClient(product, superadmin, admin.organizationId);
const first = await assigned(above, rep);
const second = await assigned(above, rep);
const others = await assigned(above, admin);

const sentFrom = (to: string) =>
  product.sentMessages.filter((sent) => sent.to === to).map(({ from }) => from);
const refused = failure(
  409,
  'from is not one of your active phone numbers. Ask an ADMIN to assign it to you; if it is pending, a SUPERADMIN must approve it first.',
);

test('A text leaves from the number that its author chooses among their own, however it is written', async () => {
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
  product.providers.newcomerPolicy = () => newcomerPolicies.approved;
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
