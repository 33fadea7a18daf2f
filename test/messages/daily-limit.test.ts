import { beforeEach, expect, test } from 'vitest';
import { conversationsClient } from '../conversations/client.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, countStatuses, expectStatus, outcome } from '../harness/tenants.ts';
import { type OrganizationsClient, organizationsClient, problem } from '../organizations/client.ts';
import { prepareRecipient } from './recipient.ts';

const product = await setUpProduct();
const superadmin = await product.newSuperadmin();

let admin: Person;
let client: OrganizationsClient;
let above: OrganizationsClient;
beforeEach(async () => {
  admin = await product.newOrganization();
  client = organizationsClient(product, admin);
  above = organizationsClient(product, superadmin, admin.organizationId);
});

const noon = new Date('2026-05-01T12:00:00.000Z');
const limit = (dailyLimit: number | null) => arrange(above('update-text-settings', { dailyLimit }));
const newContact = async () => (await prepareRecipient(product, admin)).contactId;
const send = (contactId: string, at = noon) =>
  conversationsClient(product, admin).send({ contactId, content: 'Hello' }, at);

/** Messages to one contact after another. */
async function sendInTurn(count: number, contactIds: readonly string[], at = noon): Promise<ApiResponse[]> {
  const responses: ApiResponse[] = [];
  for (let index = 0; index < count; index += 1) {
    responses.push(await send(contactIds[index % contactIds.length] ?? '', at));
  }
  return responses;
}

test('Texts beyond the daily limit are refused with 429, plain words and the seconds until the next day', async () => {
  await limit(3);
  const contactIds = [await newContact(), await newContact()];
  const responses = await sendInTurn(5, contactIds);
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 429, 429]);
  const refused = responses[3];
  expect(refused?.body).toEqual({
    success: false,
    message:
      'Your organization may send 3 text messages a day and has sent them. Send the message after midnight UTC, or ask the operator of this service to raise the limit.',
  });
  expect(refused?.headers['retry-after']).toBe(String(12 * 3_600));
  const tomorrow = new Date('2026-05-02T00:00:00.000Z');
  expect((await send(contactIds[0] ?? '', tomorrow)).status).toBe(201);
});

test('Texts are all counted, exactly, when they are sent at once to many contacts', async () => {
  await limit(20);
  const contactIds = await Promise.all(Array.from({ length: 10 }, newContact));
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, index) => send(contactIds[index % contactIds.length] ?? '')),
  );
  expect(countStatuses(responses)).toEqual({ 201: 20, 429: 10 });
});

test('A text that is refused is neither stored nor queued', async () => {
  await limit(0);
  const contactId = await newContact();
  expect((await send(contactId)).status).toBe(429);
  expect((await conversationsClient(product, admin).list({ contactId })).body.data).toEqual([]);
});

test('A text that fails for another reason is not counted', async () => {
  await limit(1);
  const contactId = await newContact();
  expect(
    (await conversationsClient(product, admin).send({ contactId, templateId: 'none' }, noon)).status,
  ).toBe(404);
  expect((await send(contactId)).status).toBe(201);
});

test('The limit and what was sent today are read by the ADMIN, and set by a SUPERADMIN alone', async () => {
  const path = { organizationId: admin.organizationId };
  const read = async () =>
    expectStatus(await product.call('read-text-settings', { token: admin.token, path, at: noon }), 200).data;
  expect(await read()).toEqual({
    dailyLimit: 100_000,
    standardSender: true,
    queuedToday: 0,
    invitationsPerDay: null,
    approved: true,
  });
  const contactId = await newContact();
  await send(contactId);
  await limit(7);
  expect(await read()).toMatchObject({ dailyLimit: 7, standardSender: true, queuedToday: 1 });
  expectStatus(await above('update-text-settings', { standardSender: false }), 200);
  expect(await read()).toMatchObject({ dailyLimit: 7, standardSender: false });
  await limit(null);
  expect(await read()).toMatchObject({ dailyLimit: 100_000, standardSender: false });
  expect(outcome(await client('update-text-settings', { dailyLimit: 1_000_000 }))).toEqual(
    problem(403, 'Forbidden', 'This requires the role SUPERADMIN.'),
  );
});

test.each([-1, 1.5, 1_000_001, '7', true])('The daily limit is not %j', async (dailyLimit) => {
  expect(outcome(await above('update-text-settings', { dailyLimit }))).toEqual(
    problem(400, 'Invalid request', expect.stringMatching(/^dailyLimit must/)),
  );
});
