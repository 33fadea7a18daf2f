import { expect, test } from 'vitest';
import { after, day, minute, second } from '../../shared/kernel/time.ts';
import { clockClient } from '../harness/clock.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { conversationsClient } from './client.ts';

const { product, admin, rep } = await setUpTenants();
const webhook = await newWebhookClient(product, admin, rep);
const conversations = conversationsClient(product, rep);

test('Reading up to a message that is still to be sent reads what has come in, and what comes in later is read as ever', async () => {
  const number = newPhoneNumber();
  const write = async (at?: Date) =>
    (await arrange(webhook.text({ From: number }, at === undefined ? {} : { at }))).data;
  const { contactId, conversationId, messageId } = await write();
  const sendAt = after(new Date(), day);
  const { data: scheduled } = await arrange(
    conversations.send({ contactId, content: 'Tomorrow', sendAt: sendAt.toISOString() }),
  );
  const unread = async () => {
    const { unreadCount, readUpTo } = (await arrange(conversations.read(conversationId))).data;
    return { unreadCount, readUpTo };
  };
  expect(await unread()).toEqual({ unreadCount: 1, readUpTo: null });
  await arrange(conversations.markRead(conversationId, scheduled._id));
  expect(await unread()).toEqual({ unreadCount: 0, readUpTo: messageId });

  const { messageId: second } = await write();
  expect(await unread()).toEqual({ unreadCount: 1, readUpTo: messageId });
  await clockClient(product).run(sendAt);
  await write(after(sendAt, day));
  expect(await unread()).toEqual({ unreadCount: 2, readUpTo: messageId });
  await arrange(conversations.markRead(conversationId, scheduled._id));
  expect(await unread()).toEqual({ unreadCount: 1, readUpTo: scheduled._id });
  expect(second > messageId).toBe(true);
});

test('Reading up to a message that was scheduled leaves unread what came in since its time, before it is sent and after', async () => {
  const number = newPhoneNumber();
  const first = (await arrange(webhook.text({ From: number }))).data;
  const { contactId, conversationId } = first;
  const sendAt = after(new Date(), 10 * minute);
  const { data: scheduled } = await arrange(
    conversations.send({ contactId, content: 'Tomorrow', sendAt: sendAt.toISOString() }),
  );
  await arrange(webhook.text({ From: number, Body: 'Since' }, { at: after(sendAt, 10 * second) }));
  const read = async () => {
    const at = after(sendAt, 20 * second);
    const { data } = await arrange(conversations.markRead(conversationId, scheduled._id, { at }));
    return [data.unreadCount, data.readUpTo];
  };
  expect(await read()).toEqual([1, first.messageId]);
  await clockClient(product).run(after(sendAt, 40 * second));
  expect(await read()).toEqual([1, scheduled._id]);
  await arrange(conversations.markRead(conversationId));
  expect((await arrange(conversations.read(conversationId))).data.unreadCount).toBe(0);
});

test('However many messages stand scheduled in a row, what was listed before them is what has been read, and what comes last once the one after them is deleted', async () => {
  const first = (await arrange(webhook.text({ From: newPhoneNumber(), Body: 'Hello?' }))).data;
  const { contactId, conversationId, messageId } = first;
  const start = new Date();
  const ids: string[] = [];
  for (let index = 0; index < 25; index += 1) {
    const sendAt = after(start, minute + index * second).toISOString();
    ids.push((await arrange(conversations.send({ contactId, content: 'Later', sendAt }))).data._id);
  }
  // Their time has come, and nothing has sent them yet.
  const at = after(start, 2 * minute);
  const { data } = await arrange(conversations.markRead(conversationId, ids.at(-1), { at }));
  expect([data.unreadCount, data.readUpTo]).toEqual([0, messageId]);

  const { data: last } = await arrange(conversations.send({ contactId, content: 'Now' }, at));
  await arrange(conversations.markRead(conversationId, undefined, { at }));
  await arrange(product.call('delete-message', { token: rep.token, path: { id: last._id }, at }));
  const { data: left } = await arrange(conversations.read(conversationId));
  expect(left).toMatchObject({ lastMessage: 'Hello?', readUpTo: messageId, messageCount: 26 });
});
