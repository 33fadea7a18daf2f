import { beforeEach, expect, test } from 'vitest';
import { after, day, hour, minute } from '../../shared/kernel/time.ts';
import { inTurns, interleaved } from '../calls/interleaved.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, failure, outcome } from '../harness/tenants.ts';
import { organizationsClient } from '../organizations/client.ts';
import { prepareScheduled } from './scheduled-client.ts';
import { newWebhookClient } from './webhook-client.ts';

const product = await setUpProduct();
const table = setUpFaultyTable();
const { run, nextTime, recipient } = await prepareScheduled(product);
const superadmin = await product.newSuperadmin();

let admin: Person;
beforeEach(async () => {
  admin = await product.newOrganization();
});

test('A scheduled message returns 201 with its time, is in its conversation from then on, and is not sent before', async () => {
  const ada = await recipient(admin);
  const at = nextTime();
  const { status, body } = await ada.schedule(at);
  expect(status).toBe(201);
  expect(body).toMatchObject({
    message: 'Message scheduled',
    data: { status: 'scheduled', sendAt: at.toISOString(), sentBy: admin.userId, content: 'See you at ten' },
  });
  expect(await ada.messages()).toEqual([body.data]);
  expect(await ada.conversation()).toMatchObject({ lastMessage: null, lastMessageAt: null, messageCount: 1 });
  expect((await ada.contacts.read(ada.contactId)).body.data).toMatchObject({ lastMessageAt: null });
  expect(await ada.events()).toEqual([['message_created', 'scheduled']]);
  await run(after(at, -1));
  expect(await ada.sent()).toEqual([]);
});

test('A scheduled message is sent at its time, once, and is then the last message of its conversation', async () => {
  const ada = await recipient(admin);
  const at = nextTime();
  const { _id } = await ada.scheduled(at);
  expect(await run(at)).toMatchObject({ queued: 1 });
  expect(await ada.conversation()).toMatchObject({
    lastMessage: 'See you at ten',
    lastMessageAt: at.toISOString(),
    messageCount: 1,
  });
  expect((await ada.contacts.read(ada.contactId)).body.data).toMatchObject({
    lastMessageAt: at.toISOString(),
    lastMessageDirection: 'outbound',
  });
  expect(await ada.messages()).toMatchObject([{ _id, status: 'queued', sendAt: at.toISOString() }]);
  expect(await ada.events()).toEqual([
    ['message_created', 'scheduled'],
    ['message_updated', 'queued'],
  ]);
  expect(await ada.sent(at)).toEqual(['See you at ten']);
  expect(await ada.messages()).toMatchObject([{ _id, status: 'sent', sendAt: at.toISOString() }]);
  await run(after(at, minute));
  expect(await ada.sent(after(at, minute))).toEqual(['See you at ten']);
  expect(await ada.waiting()).toBe(0);
});

test('A scheduled message stands where it belongs by its time, among those sent before and after', async () => {
  const ada = await recipient(admin);
  const at = nextTime();
  const later = await ada.scheduled(after(at, hour), { content: 'Later' });
  const sooner = await ada.scheduled(at, { content: 'Sooner' });
  await arrange(ada.conversations.send({ contactId: ada.contactId, content: 'Now' }));
  expect((await ada.messages()).map(({ content }: { content: string }) => content)).toEqual([
    'Later',
    'Sooner',
    'Now',
  ]);
  expect(await ada.conversation()).toMatchObject({ lastMessage: 'Now', messageCount: 3 });
  await run(after(at, 2 * hour));
  await ada.sent(after(at, 2 * hour));
  expect((await ada.messages()).map(({ _id }: { _id: string }) => _id).slice(0, 2)).toEqual([
    later._id,
    sooner._id,
  ]);
});

test.each([
  ['now', 0],
  ['a minute ago', -minute],
  ['more than a year ahead', 366 * day + minute],
])('A message cannot be scheduled for a time that is %s', async (_, ahead) => {
  const ada = await recipient(admin);
  expect(outcome(await ada.schedule(after(new Date(), ahead)))).toEqual(
    failure(400, 'sendAt must be in the future, and at most a year ahead'),
  );
});

test('A message cannot be scheduled without a number to send from, or to a contact who has opted out: 409', async () => {
  const above = organizationsClient(product, superadmin, admin.organizationId);
  await arrange(above('update-text-settings', { standardSender: null }));
  const ada = await recipient(admin);
  const at = nextTime();
  expect((await ada.schedule(at)).status).toBe(409);
  const webhook = await newWebhookClient(
    product,
    { ...superadmin, organizationId: admin.organizationId },
    admin,
  );
  expect((await ada.schedule(at)).status).toBe(201);
  await arrange(webhook.text({ From: ada.number, Body: 'STOP' }));
  expect((await ada.schedule(at)).status).toBe(409);
});

test('A scheduled message that is deleted in time is never sent, leaves its conversation, and emits an event', async () => {
  const ada = await recipient(admin);
  const at = nextTime();
  const [one, other] = [
    await ada.scheduled(at, { content: 'One' }),
    await ada.scheduled(at, { content: 'Other' }),
  ];
  expect(outcome(await ada.remove(one._id))).toEqual({
    status: 200,
    body: { success: true, message: 'Message deleted' },
  });
  expect(await ada.messages()).toMatchObject([{ _id: other._id }]);
  expect(await ada.conversation()).toMatchObject({ messageCount: 1 });
  expect((await ada.events()).at(-1)).toEqual(['message_deleted', undefined]);
  expect(await ada.waiting()).toBe(1);
  expect((await ada.remove(one._id)).status).toBe(404);
  await run(at);
  expect(await ada.sent(at)).toEqual(['Other']);
});

test('A message that was sent cannot be deleted: 409', async () => {
  const ada = await recipient(admin);
  const at = nextTime();
  const { _id } = await ada.scheduled(at);
  await run(at);
  await ada.sent(at);
  expect(outcome(await ada.remove(_id))).toEqual(
    failure(409, 'Only a message that has not been sent can be deleted, and this one is sent.'),
  );
});

test('A message that is on its way and not sent yet can be deleted, and the last message is the one before it', async () => {
  const ada = await recipient(admin);
  const webhook = await newWebhookClient(product, admin, admin);
  const at = nextTime();
  const scheduled = await ada.scheduled(at);
  const { contactId, number, contacts } = ada;
  await arrange(webhook.text({ From: number, Body: 'Hi' }));
  const states = async () => {
    const { lastMessageAt, lastMessageDirection } = (await contacts.read(contactId)).body.data;
    const { updatedAt: _, ...conversation } = await ada.conversation();
    return { conversation, lastMessageAt, lastMessageDirection };
  };
  const before = await states();
  const { data: usual } = await arrange(ada.conversations.send({ contactId, content: 'Hello' }));
  expect((await states()).conversation.lastMessage).toBe('Hello');
  expect((await ada.remove(usual._id)).status).toBe(200);
  expect(await states()).toEqual(before);
  await run(at);
  expect((await ada.remove(scheduled._id)).status).toBe(200);
  const { conversation, ...rest } = before;
  expect(await states()).toEqual({ conversation: { ...conversation, messageCount: 1 }, ...rest });
  expect(await ada.sent(at)).toEqual([]);
});

test('A message that is on its way and the only one leaves an empty conversation when it is deleted', async () => {
  const ada = await recipient(admin);
  const { contactId } = ada;
  const { data } = await arrange(ada.conversations.send({ contactId, content: 'Hello' }));
  expect((await ada.remove(data._id)).status).toBe(200);
  expect(await ada.conversation()).toMatchObject({ lastMessage: null, lastMessageAt: null, messageCount: 0 });
  expect((await ada.contacts.read(contactId)).body.data).toMatchObject({
    lastMessageAt: null,
    lastMessageDirection: null,
  });
});

test('A message that is deleted at the moment of its sending is either deleted or sent, never both', async () => {
  const outcomes = new Set<number>();
  const stops = [0, 2, 3, 4, 6, 20];
  for (const first of [0, 1] as const) {
    for (const schedule of stops.map((some) => inTurns(first, some, 20))) {
      const ada = await recipient(admin);
      const { contactId } = ada;
      const { data } = await arrange(ada.conversations.send({ contactId, content: 'Hello' }));
      const [sent, removed] = await interleaved(table, schedule, [
        () => ada.sent(),
        () => ada.remove(data._id),
      ]);
      expect([200, 409]).toContain(removed.status);
      expect(sent).toEqual(removed.status === 200 ? [] : ['Hello']);
      outcomes.add(removed.status);
    }
  }
  // Both ways.
  expect([...outcomes].sort()).toEqual([200, 409]);
});

test('A scheduled message that is deleted at the moment of its time is either deleted or sent, never both', async () => {
  const ada = await recipient(admin);
  const at = nextTime();
  for (let round = 0; round < 10; round += 1) {
    const { _id } = await ada.scheduled(at, { content: `Round ${round}` });
    const [removed] = await Promise.all([ada.remove(_id), run(at)]);
    const left = (await ada.messages()).filter((message: { _id: string }) => message._id === _id);
    expect([200, 409]).toContain(removed.status);
    expect(left).toHaveLength(removed.status === 200 ? 0 : 1);
    expect((await ada.sent(at)).includes(`Round ${round}`)).toBe(removed.status === 409);
  }
  expect(await ada.conversation()).toMatchObject({ messageCount: (await ada.messages()).length });
  expect(await ada.waiting()).toBe(0);
});

test('A scheduled message is sent once by runs that overlap', async () => {
  const ada = await recipient(admin);
  const at = nextTime();
  await ada.scheduled(at);
  const figures = await Promise.all([run(at), run(at), run(after(at, 1_000))]);
  expect(figures.reduce((sum, { queued = 0 }) => sum + queued, 0)).toBe(1);
  expect(await ada.sent(at)).toEqual(['See you at ten']);
});

test('A scheduled message of a deleted contact goes with it', async () => {
  const ada = await recipient(admin);
  const at = nextTime();
  await ada.scheduled(at);
  await arrange(product.call('delete-contact', { token: admin.token, path: { id: ada.contactId } }));
  expect(await run(at)).toMatchObject({ gone: 1 });
  expect(await ada.sent(at)).toEqual([]);
  expect(await ada.waiting()).toBe(0);
});
