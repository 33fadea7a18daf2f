import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import { beforeEach, expect, test } from 'vitest';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import { callsClient } from '../calls/client.ts';
import { conversationsClient } from '../conversations/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { domainName } from '../harness/gateway.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import {
  assigned,
  assignmentsIn,
  type OrganizationsClient,
  organizationsClient,
  problem,
} from '../organizations/client.ts';
import { prepareOutgoing } from './outgoing.ts';
import { prepareRecipient } from './recipient.ts';
import { form, newSid } from './webhook-client.ts';

const product = await setUpProduct();
const outgoing = await prepareOutgoing(product);
const superadmin = await product.newSuperadmin();
product.providers.trialPolicy = () => trialPolicies.approved;

/** The ADMIN of an organization that has just registered itself. */
let admin: Person;
let client: OrganizationsClient;
let above: OrganizationsClient;
beforeEach(async () => {
  admin = await product.newOrganization();
  client = organizationsClient(product, admin);
  above = organizationsClient(product, superadmin, admin.organizationId);
});

const send = (person: Person, contactId: string) =>
  conversationsClient(product, person).send({ contactId, content: 'Hello' });
const secret = '0123456789abcdef0123456789abcdef';
const approve = (phoneNumber: string, by = above, body: object = { secret }) =>
  by('approve-phone-number', body, { phoneNumber });
const newText = (to: string) => ({
  MessageSid: newSid(),
  From: '+12025550199',
  To: to,
  Body: 'Confidential',
});
const text = (to: string) => product.call('receive-sms', { path: { provider: 'twilio' }, body: newText(to) });
const url = `https://${domainName}/api/webhook/twilio/sms`;
const signedText = (to: string) => {
  const fields = newText(to);
  return product.call('receive-sms', {
    path: { provider: 'twilio' },
    body: new URLSearchParams(fields).toString(),
    headers: { ...form, 'x-twilio-signature': getExpectedTwilioSignature(secret, url, fields) },
  });
};
const conversations = async (person: Person) =>
  (await conversationsClient(product, person).list({})).body.data;

const noSender = failure(409, expect.stringMatching(/^You have no active phone number to send from\./));

test('Texts to a number that waits for approval get the same response as those to a number that nobody has, and nobody can read them', async () => {
  const { phoneNumber } = await assigned(client, admin);
  const withoutOwner = await text(newPhoneNumber());
  const response = await text(phoneNumber);
  expect({ status: response.status, keys: Object.keys(response.body) }).toEqual({
    status: withoutOwner.status,
    keys: Object.keys(withoutOwner.body),
  });
  expect(await conversations(admin)).toEqual([]);
});

test('Texts to a number that one organization uses never reach another that claims it, nor does its claim succeed', async () => {
  const { phoneNumber } = await assigned(above, admin);
  const thief = await product.newOrganization();
  const claim = { userId: thief.userId, provider: 'twilio', phoneNumber };
  expect(outcome(await organizationsClient(product, thief)('assign-phone-number', claim))).toEqual(
    problem(409, 'Conflict', 'This phone number is already assigned.'),
  );
  expectStatus(await text(phoneNumber), 200);
  expect(await conversations(admin)).toHaveLength(1);
  expect(await conversations(thief)).toEqual([]);
});

test('A number that a SUPERADMIN has approved sends and receives', async () => {
  const { phoneNumber } = await assigned(client, admin);
  expect(outcome(await approve(phoneNumber))).toMatchObject({
    status: 200,
    body: { message: 'Phone number approved', data: { phoneNumber, userId: admin.userId, status: 'active' } },
  });
  expect(await assignmentsIn(above)).toMatchObject([{ phoneNumber, status: 'active' }]);
  const ada = await prepareRecipient(product, admin);
  expectStatus(await send(admin, ada.contactId), 201);
  await outgoing.tellAll(admin);
  expect(product.sentMessages.filter(({ to }) => to === ada.to)).toMatchObject([{ from: phoneNumber }]);
  expectStatus(await signedText(phoneNumber), 200);
  expect(await conversations(admin)).toHaveLength(2);
  expect((await approve(phoneNumber)).body.message).toBe('No changes');
});

test('A number is approved only with a secret, so that nobody else can opt contacts out and back in', async () => {
  const { phoneNumber } = await assigned(client, admin);
  expect(outcome(await approve(phoneNumber, above, {}))).toEqual(
    problem(409, 'Conflict', 'The number has no secret. Send the one that its provider signs with.'),
  );
  await arrange(client('update-phone-number', { secret }, { phoneNumber }));
  const approved = await approve(phoneNumber, above, {});
  expect(approved.status).toBe(200);
  expect(approved.text).not.toContain(secret);
  expect((await text(phoneNumber)).status).toBe(403);
  expect((await signedText(phoneNumber)).status).toBe(200);
});

test('Approving an active number with a secret stores that: unsigned texts to it are refused from then on', async () => {
  const { phoneNumber } = await assigned(above, admin);
  expect((await text(phoneNumber)).status).toBe(200);
  expect((await approve(phoneNumber, above, {})).body.message).toBe('No changes');
  const response = await approve(phoneNumber);
  expect(outcome(response)).toMatchObject({
    status: 200,
    body: { message: 'Phone number updated', data: { phoneNumber, status: 'active' } },
  });
  expect(response.text).not.toContain(secret);
  expect((await text(phoneNumber)).status).toBe(403);
  expect((await signedText(phoneNumber)).status).toBe(200);
  expect((await approve(phoneNumber)).body.message).toBe('No changes');
});

test('Nobody can take its secret from an active number, by changing it or by approving it again; a new one replaces it', async () => {
  const { phoneNumber } = await assigned(client, admin);
  await arrange(approve(phoneNumber));
  const needed = problem(
    409,
    'Conflict',
    'An active number needs its secret. To change it, send the new one.',
  );
  for (const by of [client, above]) {
    expect(outcome(await by('update-phone-number', { secret: '' }, { phoneNumber }))).toEqual(needed);
  }
  expect(outcome(await approve(phoneNumber, above, { secret: '' }))).toEqual(needed);
  expect((await text(phoneNumber)).status).toBe(403);
  expect((await signedText(phoneNumber)).status).toBe(200);
  await arrange(client('update-phone-number', { secret: 'another', label: 'Desk' }, { phoneNumber }));
  expect((await signedText(phoneNumber)).status).toBe(403);
});

test('A number that waits for approval, or has no secret, may be changed to have none', async () => {
  const { phoneNumber } = await assigned(client, admin, { secret });
  await arrange(client('update-phone-number', { secret: '' }, { phoneNumber }));
  expect((await approve(phoneNumber, above, {})).status).toBe(409);
  const other = await assigned(above, admin);
  await arrange(client('update-phone-number', { secret: '' }, { phoneNumber: other.phoneNumber }));
});

test('A number is approved by a SUPERADMIN alone, and only where it was assigned', async () => {
  const { phoneNumber } = await assigned(client, admin);
  expect(outcome(await approve(phoneNumber, client))).toEqual(
    problem(403, 'Forbidden', 'This requires the role SUPERADMIN.'),
  );
  const other = await product.newOrganization();
  const elsewhere = organizationsClient(product, superadmin, other.organizationId);
  for (const [by, number] of [
    [elsewhere, phoneNumber],
    [above, newPhoneNumber()],
    [above, 'garbage'],
  ] as const) {
    expect(outcome(await approve(number, by))).toEqual(problem(404, 'Not found', 'Phone number not found'));
  }
});

test('When several organizations wait for one number, the first to be approved has it: 409 for the others', async () => {
  const other = await product.newOrganization();
  const phoneNumber = newPhoneNumber();
  await assigned(client, admin, { phoneNumber });
  await assigned(organizationsClient(product, other), other, { phoneNumber });
  const elsewhere = organizationsClient(product, superadmin, other.organizationId);
  const responses = await Promise.all([approve(phoneNumber), approve(phoneNumber, elsewhere)]);
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
  const all = [...(await assignmentsIn(above)), ...(await assignmentsIn(elsewhere))];
  expect(all.map(({ status }) => status).sort()).toEqual(['active', 'pending']);
});

test('An organization waits for a number only once, whoever of its users is to have it', async () => {
  const rep = await product.newColleague(admin);
  const { phoneNumber } = await assigned(client, admin);
  for (const by of [client, above]) {
    const again = await by('assign-phone-number', { userId: rep.userId, provider: 'twilio', phoneNumber });
    expect(outcome(again)).toEqual(problem(409, 'Conflict', 'This phone number is already assigned.'));
  }
});

test('A number that waits for approval can be changed and removed, and then claimed again', async () => {
  const { phoneNumber } = await assigned(client, admin);
  const path = { phoneNumber };
  expect((await client('update-phone-number', { label: 'Desk' }, path)).body.data).toMatchObject({
    label: 'Desk',
    status: 'pending',
  });
  expectStatus(await client('remove-phone-number', undefined, path), 200);
  expect(await assignmentsIn(above)).toEqual([]);
  expect((await assigned(client, admin, { phoneNumber })).status).toBe('pending');
});

test('A default number that waits for approval leaves its user the active one, for messages and calls, until it is approved', async () => {
  const active = await assigned(above, admin);
  const waiting = await assigned(client, admin, { isDefault: true });
  expect(waiting.isDefault).toBe(true);
  const calls = callsClient(product, admin);
  const ada = await prepareRecipient(product, admin);
  for (const { phoneNumber } of [active, waiting]) {
    expectStatus(await send(admin, ada.contactId), 201);
    await outgoing.tellAll(admin);
    expect(product.sentMessages.filter(({ to }) => to === ada.to).at(-1)).toMatchObject({
      from: phoneNumber,
    });
    expect(await calls.answered()).toHaveProperty('providerPhoneNumber', phoneNumber);
    await arrange(approve(waiting.phoneNumber));
  }
});

test('A user whose first number waits for approval sends from the second, once that is approved', async () => {
  await assigned(client, admin);
  const { phoneNumber } = await assigned(client, admin);
  const ada = await prepareRecipient(product, admin);
  expect(outcome(await send(admin, ada.contactId))).toEqual(noSender);
  await arrange(approve(phoneNumber));
  expectStatus(await send(admin, ada.contactId), 201);
  await outgoing.tellAll(admin);
  expect(product.sentMessages.filter(({ to }) => to === ada.to)).toMatchObject([{ from: phoneNumber }]);
});
