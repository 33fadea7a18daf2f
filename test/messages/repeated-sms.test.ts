import { expect, test } from 'vitest';
import { setUpWorld } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/world.ts';
import { emptyResponse, newSid, newWebhookClient } from './webhook-client.ts';

const { product, admin, rep, foreigner, foreignRep } = await setUpWorld();
const webhook = await newWebhookClient(product, admin, rep);

const conversation = async (id: string) =>
  expectStatus(await product.call('read-conversation', { token: rep.token, path: { id } }), 200).data;

test('A text message reported again is stored once: 200 with the same ids, and `duplicate` true', async () => {
  const fields = { MessageSid: newSid(), From: newPhoneNumber() };
  const first = expectStatus(await webhook.text(fields), 200);
  const again = expectStatus(await webhook.text({ ...fields, Body: 'Something else' }), 200);
  expect(again).toEqual({
    success: true,
    message: 'The message was already received',
    data: { ...first.data, duplicate: true },
  });
  expect(await conversation(first.data.conversationId)).toMatchObject({
    messageCount: 1,
    lastMessage: 'Hello',
  });
});

test('A text message reported again is known by `SmsSid` where there is no `MessageSid`', async () => {
  const sid = newSid();
  const from = newPhoneNumber();
  const first = expectStatus(await webhook.text({ MessageSid: undefined, SmsSid: sid, From: from }), 200);
  const again = expectStatus(await webhook.text({ MessageSid: sid, From: from }), 200);
  expect(again.data).toEqual({ ...first.data, duplicate: true });
});

test('A text message reported again is the same whichever path and form it comes by', async () => {
  const fields = { MessageSid: newSid(), From: newPhoneNumber() };
  const first = expectStatus(await webhook.text(fields, { provider: 'twilio' }), 200);
  expect((await webhook.textAsForm(fields)).body).toBe(emptyResponse);
  expect((await conversation(first.data.conversationId)).messageCount).toBe(1);
});

test('A text message reported again stays known after its contact was deleted', async () => {
  const fields = { MessageSid: newSid(), From: newPhoneNumber() };
  const first = expectStatus(await webhook.text(fields), 200);
  await arrange(product.call('delete-contact', { token: rep.token, path: { id: first.data.contactId } }));
  expect((await webhook.text(fields)).body.data).toEqual({ ...first.data, duplicate: true });
});

test('A text message reported again is another message in another organization, or of another provider', async () => {
  const other = await newWebhookClient(product, admin, rep, { provider: 'another' });
  const foreign = await newWebhookClient(product, foreigner, foreignRep);
  const fields = { MessageSid: newSid(), From: newPhoneNumber() };
  for (const one of [webhook, other, foreign]) {
    expect((await one.text(fields)).body.data.duplicate).toBe(false);
  }
});
