import { expect, test } from 'vitest';
import { after, day } from '../../shared/kernel/time.ts';
import { clockOf } from '../harness/clock.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { arrange, newPhoneNumber } from '../harness/world.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { conversationsClient } from './client.ts';

const { product, admin, rep } = await setUpWorld();
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
  await clockOf(product).run(sendAt);
  await write(after(sendAt, day));
  expect(await unread()).toEqual({ unreadCount: 2, readUpTo: messageId });
  await arrange(conversations.markRead(conversationId, scheduled._id));
  expect(await unread()).toEqual({ unreadCount: 1, readUpTo: scheduled._id });
  expect(second > messageId).toBe(true);
});
