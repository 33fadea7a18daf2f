import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { minute, after as plus, second } from '../../shared/kernel/time.ts';
import { phoneOf } from '../calls/phone.ts';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { newLine } from '../messages/phones.ts';
import { inboxOf, newConversation } from './conversations.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

const inbox = () => inboxOf(world.product, world.rep);

describe('The messages of a conversation', () => {
  it('are answered as `{success: true, data: [Message], nextCursor}`', async () => {
    const { conversationId, contactId, messageId } = await newConversation(world);
    const { status, body } = await inbox().messages(conversationId);
    expect(status).toBe(200);
    expect(body).toEqual({
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
          sentBy: world.rep.userId,
          providerMessageId: null,
          createdAt: expect.any(String),
        },
      ],
      nextCursor: null,
    });
  });

  it('are listed newest first, inbound and outbound, page by page', async () => {
    const line = await newLine(world.product, world.admin, world.rep);
    const from = newPhoneNumber();
    const { _id: contactId } = await world.newContact({ phoneNumbers: [{ value: from }] });
    const start = new Date();
    let conversationId = '';
    for (let index = 0; index < 30; index += 1) {
      const at = plus(start, index * second);
      const answer =
        index % 3 === 0
          ? await inbox().send({ contactId, content: `${index}` }, at)
          : await line.text({ From: from, Body: `${index}` }, { at });
      conversationId = answer.body.data.conversationId;
    }
    const contents: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = expectStatus(await inbox().messages(conversationId, cursor === '' ? {} : { cursor }), 200);
      contents.push(...page.data.map(({ content }: { content: string }) => content));
      sizes.push(page.data.length);
      cursor = page.nextCursor;
    }
    expect(contents).toEqual(Array.from({ length: 30 }, (_, index) => `${29 - index}`));
    expect(sizes).toEqual([25, 5]);
    expect((await inbox().messages(conversationId, { limit: '30' })).body.nextCursor).toBeNull();
  });

  it('of one contact stay apart by conversation', async () => {
    const from = newPhoneNumber();
    const { _id: contactId } = await world.newContact({ phoneNumbers: [{ value: from }] });
    const call = await phoneOf(world.product, world.rep).answered(from);
    const { conversationId } = expectStatus(await inbox().send({ contactId, content: 'Hi' }), 201).data;
    expect((await inbox().messages(call.conversationId)).body.data).toEqual([]);
    expect((await inbox().messages(conversationId)).body.data).toHaveLength(1);
  });

  it.each<[Record<string, string>, string]>([
    [{ limit: '0' }, 'limit must be a whole number from 1 to 100'],
    [{ limit: '101' }, 'limit must be a whole number from 1 to 100'],
    [{ cursor: 'nonsense' }, 'cursor must be a nextCursor of this list'],
  ])('asked with %j are 400 `{success: false, message}`', async (query, message) => {
    const { conversationId } = await newConversation(world);
    const { status, body } = await inbox().messages(conversationId, query);
    expect({ status, body }).toEqual({ status: 400, body: { success: false, message } });
  });

  it('cannot be paged by the cursor of another conversation', async () => {
    const [one, other] = [await newConversation(world), await newConversation(world)];
    const later = plus(new Date(), minute);
    expectStatus(await inbox().send({ contactId: one.contactId, content: 'More' }, later), 201);
    const { nextCursor } = (await inbox().messages(one.conversationId, { limit: '1' })).body;
    expect((await inbox().messages(one.conversationId, { cursor: nextCursor })).body.data).toHaveLength(1);
    expect((await inbox().messages(other.conversationId, { cursor: nextCursor })).status).toBe(400);
  });
});
