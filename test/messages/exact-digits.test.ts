import { expect, test } from 'vitest';
import { exactNumber } from '../harness/exact-number.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { expectStatus, newPhoneNumber } from '../harness/world.ts';
import { newWebhookClient } from './webhook-client.ts';

/** Decisions 10, "Provider webhooks, types": a JSON integer in a provider's field is its digits, however many (RFC 8259, 6). */

const { product, admin, rep } = await setUpWorld();
const webhook = await newWebhookClient(product, admin, rep);
const newest = async (id: string) =>
  expectStatus(await product.call('list-messages', { token: rep.token, path: { id } }), 200).data[0];

test.each([
  ['123456789012345678901234567890'],
  ['120210000000000123'],
  ['9007199254740993'],
  ['5000.00'],
  ['0.10'],
  ['1e2'],
  ['-0'],
  ['0.0000001'],
  ['42'],
])('A text that is the JSON number %s has these digits', async (digits) => {
  const response = await webhook.text({ From: newPhoneNumber(), Body: exactNumber(digits) });
  const { conversationId } = expectStatus(response, 200).data;
  expect((await newest(conversationId)).content).toBe(digits);
});

test('Two messages whose ids differ in the last of 30 digits are two, and the same id is a repetition', async () => {
  const From = newPhoneNumber();
  const send = async (id: string) =>
    expectStatus(await webhook.text({ From, MessageSid: exactNumber(id) }), 200).data;
  const ids = ['123456789012345678901234567890', '123456789012345678901234567891'];
  const [first, second] = [await send(ids[0] as string), await send(ids[1] as string)];
  expect([first.duplicate, second.duplicate]).toEqual([false, false]);
  expect((await newest(second.conversationId)).providerMessageId).toBe(ids[1]);
  expect(await send(ids[0] as string)).toEqual({ ...first, duplicate: true });
});

test('A sender that is a JSON number of many digits keeps all of them', async () => {
  const digits = '882990000000000000000000000001';
  const { contactId } = expectStatus(await webhook.text({ From: exactNumber(digits) }), 200).data;
  const { text } = await product.call('read-contact', { token: admin.token, path: { id: contactId } });
  expect(text).toContain(digits);
});

test('The number of attachments may have a fraction of zero', async () => {
  const MediaUrl0 = 'https://example.com/1';
  const media = { NumMedia: exactNumber('1.0'), MediaUrl0, MediaUrl1: 'https://example.com/2' };
  const { data } = expectStatus(await webhook.text({ From: newPhoneNumber(), ...media }), 200);
  expect((await newest(data.conversationId)).attachments).toMatchObject([{ url: MediaUrl0 }]);
});
