import { expect, test } from 'vitest';
import { minute, after as plus, second } from '../../shared/kernel/time.ts';
import { callsClient } from '../calls/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { conversationsClient, newConversation, nothingYet } from './client.ts';

const tenants = await setUpTenants();
const { product, admin, rep, newContact } = tenants;

const conversations = conversationsClient(product, rep);

test('The messages of a conversation are returned as `{success: true, data: [Message], nextCursor}`', async () => {
  const { conversationId, contactId, messageId } = await newConversation(tenants);
  expect(outcome(await conversations.messages(conversationId))).toEqual({
    status: 200,
    body: {
      success: true,
      data: [
        {
          _id: messageId,
          conversationId,
          contactId,
          direction: 'outbound',
          content: 'Hello',
          attachments: [],
          channel: 'sms',
          status: 'queued',
          sentBy: rep.userId,
          providerMessageId: null,
          segments: 1,
          ...nothingYet,
          createdAt: expect.any(String),
        },
      ],
      nextCursor: null,
    },
  });
});

test('The messages of a conversation are listed newest first, inbound and outbound, page by page', async () => {
  const webhook = await newWebhookClient(product, admin, rep);
  const from = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: from }] });
  const start = new Date();
  let conversationId = '';
  for (let index = 0; index < 30; index += 1) {
    const at = plus(start, index * second);
    const response =
      index % 3 === 0
        ? await conversations.send({ contactId, content: `${index}` }, at)
        : await webhook.text({ From: from, Body: `${index}` }, { at });
    conversationId = response.body.data.conversationId;
  }
  const contents: string[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = expectStatus(
      await conversations.messages(conversationId, cursor === '' ? {} : { cursor }),
      200,
    );
    contents.push(...page.data.map(({ content }: { content: string }) => content));
    sizes.push(page.data.length);
    cursor = page.nextCursor;
  }
  expect(contents).toEqual(Array.from({ length: 30 }, (_, index) => `${29 - index}`));
  expect(sizes).toEqual([25, 5]);
  expect((await conversations.messages(conversationId, { limit: '30' })).body.nextCursor).toBeNull();
});

test('The messages of one contact stay apart by conversation', async () => {
  const from = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: from }] });
  const call = await callsClient(product, rep).answered(from);
  const { conversationId } = expectStatus(await conversations.send({ contactId, content: 'Hi' }), 201).data;
  expect((await conversations.messages(call.conversationId)).body.data).toEqual([]);
  expect((await conversations.messages(conversationId)).body.data).toHaveLength(1);
});

test('The messages of a conversation cannot be paged by the cursor of another conversation', async () => {
  const [one, other] = [await newConversation(tenants), await newConversation(tenants)];
  const later = plus(new Date(), minute);
  expectStatus(await conversations.send({ contactId: one.contactId, content: 'More' }, later), 201);
  const { nextCursor } = (await conversations.messages(one.conversationId, { limit: '1' })).body;
  expect((await conversations.messages(one.conversationId, { cursor: nextCursor })).body.data).toHaveLength(
    1,
  );
  expect((await conversations.messages(other.conversationId, { cursor: nextCursor })).status).toBe(400);
});
