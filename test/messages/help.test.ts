import { afterEach, beforeEach, expect, test } from 'vitest';
import { day, hour, minute, after as plus } from '../../shared/kernel/time.ts';
import { conversationsClient } from '../conversations/client.ts';
import type { ApiResponse } from '../harness/call.ts';
import { readEvents } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, countStatuses, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { organizationsClient } from '../organizations/client.ts';
import { prepareOutgoing } from './outgoing.ts';
import { newSid, newWebhookClient, type WebhookClient } from './webhook-client.ts';

const product = await setUpProduct();
const outgoing = await prepareOutgoing(product);
const superadmin = await product.newSuperadmin();
const help = 'Bluebird Trading. Reply STOP to get no more messages.';

let admin: Person;
let webhook: WebhookClient;
beforeEach(async () => {
  admin = await product.newOrganization();
  webhook = await newWebhookClient(product, admin, admin);
  await arrange(organizationsClient(product, admin)('update-organization', { helpMessage: help }));
});
afterEach(() => product.queues.outgoingTexts.take());

const sentTo = (number: string) => product.sentMessages.filter(({ to }) => to === number);
const contents = async (conversationId: string) =>
  (await conversationsClient(product, admin).messages(conversationId)).body.data.map(
    ({ direction, content }: Record<string, string>) => `${direction} ${content}`,
  );

test('A message of HELP is answered with the help message, from the number that it came to; other messages are not', async () => {
  const From = newPhoneNumber();
  const { data } = expectStatus(await webhook.text({ From, Body: 'Help!' }), 200);
  expectStatus(await webhook.text({ From, Body: 'I need help' }), 200);
  await outgoing.tellAll(admin);
  expect(sentTo(From)).toMatchObject([{ from: webhook.phoneNumber, content: help }]);
  expect((await contents(data.conversationId)).sort()).toEqual(
    ['inbound Help!', `outbound ${help}`, 'inbound I need help'].sort(),
  );
  const events = await readEvents(product, admin.organizationId);
  const directions = events
    .filter(({ event }) => event === 'message_created')
    .map(({ data }) => (data.message as { direction: string }).direction);
  expect(directions).toEqual(['inbound', 'outbound', 'inbound']);
});

test('A message of HELP is not answered by an organization without a help message', async () => {
  await arrange(organizationsClient(product, admin)('update-organization', { helpMessage: null }));
  const { data } = expectStatus(await webhook.text({ From: newPhoneNumber(), Body: 'HELP' }), 200);
  expect(await contents(data.conversationId)).toEqual(['inbound HELP']);
});

test('A message of HELP is answered once an hour, so that two machines do not answer each other for ever', async () => {
  const From = newPhoneNumber();
  const start = new Date(Date.now() - day);
  const ask = async (at: Date) => expectStatus(await webhook.text({ From, Body: 'HELP' }, { at }), 200).data;
  const { conversationId } = await ask(start);
  await ask(plus(start, minute));
  await ask(plus(start, hour - 1));
  expect(
    (await contents(conversationId)).filter((content: string) => content.startsWith('outbound')),
  ).toHaveLength(1);
  await ask(plus(start, hour));
  expect(
    (await contents(conversationId)).filter((content: string) => content.startsWith('outbound')),
  ).toHaveLength(2);
});

test('A message of HELP is answered once when it comes ten times at once, and when the provider repeats it', async () => {
  const From = newPhoneNumber();
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      webhook.text({ From, Body: 'HELP', ...(index < 5 ? {} : { MessageSid: 'SM-same' }) }),
    ),
  );
  expect(countStatuses(responses)).toEqual({ 200: 10 });
  const { conversationId } = responses[0]?.body.data ?? {};
  const all = await contents(conversationId);
  expect(all.filter((one: string) => one.startsWith('outbound'))).toHaveLength(1);
  expect(all).toHaveLength(7);
});

test('A message of HELP of a contact who has opted out is answered, and the contact stays opted out', async () => {
  const From = newPhoneNumber();
  await arrange(webhook.text({ From, Body: 'STOP' }));
  const { data } = expectStatus(await webhook.text({ From, Body: 'HELP' }), 200);
  await outgoing.tellAll(admin);
  expect(sentTo(From)).toMatchObject([{ content: help }]);
  const { contactId } = data;
  const response = await conversationsClient(product, admin).send({ contactId, content: 'Hello' });
  expect(response.status).toBe(409);
});

test('Messages of HELP to a number without a secret, which anybody can send, are answered 20 times an hour', async () => {
  const at = new Date('2026-11-22T10:00:00Z');
  const ask = (when: Date) => webhook.text({ From: newPhoneNumber(), Body: 'HELP' }, { at: when });
  const answeredAmong = async (responses: readonly ApiResponse[]) => {
    const all = await Promise.all(responses.map(({ body }) => contents(body.data.conversationId)));
    return all.filter((one) => one.length === 2).length;
  };
  const responses = await Promise.all(Array.from({ length: 25 }, () => ask(at)));
  expect(countStatuses(responses)).toEqual({ 200: 25 });
  expect(await answeredAmong(responses)).toBe(20);
  expect(await answeredAmong([await ask(plus(at, hour))])).toBe(1);
});

test('A message of HELP is stored and not answered beyond the daily limit, nor when it has waited long', async () => {
  const above = organizationsClient(product, superadmin, admin.organizationId);
  await arrange(above('update-text-settings', { dailyLimit: 0 }));
  const { data } = expectStatus(await webhook.text({ From: newPhoneNumber(), Body: 'HELP' }), 200);
  expect(await contents(data.conversationId)).toEqual(['inbound HELP']);
});

test('A message of HELP of a sender without a number is stored and not answered', async () => {
  const { data } = expectStatus(
    await webhook.text({ From: 'Bluebird', Body: 'HELP', MessageSid: newSid() }),
    200,
  );
  expect(await contents(data.conversationId)).toEqual(['inbound HELP']);
});
