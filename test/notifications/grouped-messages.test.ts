import { expect, onTestFinished, test } from 'vitest';
import { after, minute } from '../../shared/kernel/time.ts';
import { faultyTable } from '../contacts/faulty-table.ts';
import { conversationsClient } from '../conversations/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { countUnread, markAllRead, markRead, readEveryNotification } from './client.ts';
import { notifierIn } from './notifier.ts';

const { product, admin, rep, newContact } = await setUpTenants();
const notifier = notifierIn(product, admin.organizationId);
const webhook = await newWebhookClient(product, admin, rep);
const start = new Date();
const at = (minutes: number) => after(start, minutes * minute);

const newColleague = () => product.newColleague(admin);
const update = (contactId: string, body: object) =>
  arrange(product.call('update-contact', { token: admin.token, path: { id: contactId }, body }));

/** A contact that a user owns, and its texts at minutes from now. */
async function texting(owner: Person, firstName = 'Ada') {
  const number = newPhoneNumber();
  const { _id: contactId } = await newContact({ firstName, lastName: '', phoneNumbers: [{ value: number }] });
  await update(contactId, { owner: owner.userId });
  const text = async (minutes: number, Body: string) =>
    (await arrange(webhook.text({ From: number, Body }, { at: at(minutes) }))).data;
  return { contactId, text };
}

/** The notifications of messages, newest first. */
const messagesTo = async (person: Person) =>
  (await readEveryNotification(product, person)).filter(({ type }) => type === 'message');
const heard = async (person: Person) =>
  (await messagesTo(person)).map(({ title, message, count, isRead }) => ({ title, message, count, isRead }));
const unread = { isRead: false };

test('Messages of one conversation within five minutes are one notification with their count and the last text', async () => {
  const user = await newColleague();
  const { contactId, text } = await texting(user);
  await text(0, 'Hello');
  await notifier.take(at(0));
  expect(await heard(user)).toEqual([{ title: 'Message from Ada', message: 'Hello', count: 1, ...unread }]);
  const before = await countUnread(product, user);
  for (const [minutes, body] of [
    [2, 'Are you there?'],
    [4, 'I need coffee'],
  ] as const) {
    await text(minutes, body);
    await notifier.take(at(minutes));
  }
  const [notification] = await messagesTo(user);
  const last = await text(4.9, 'Two bags');
  await notifier.take(at(4.9));
  const { createdAt: _, ...found } = (await messagesTo(user))[0] ?? { createdAt: '' };
  expect(found).toEqual({
    _id: notification?._id,
    userId: user.userId,
    type: 'message',
    title: '4 messages from Ada',
    message: 'Two bags',
    contactId,
    conversationId: last.conversationId,
    messageId: last.messageId,
    count: 4,
    isRead: false,
  });
  expect(await countUnread(product, user)).toBe(before);
});

test('A message five minutes after the first begins another notification', async () => {
  const user = await newColleague();
  const { text } = await texting(user);
  for (const minutes of [0, 4, 5, 9]) {
    await text(minutes, `at ${minutes}`);
  }
  await notifier.take(at(9));
  await notifier.takeAgain();
  expect(await heard(user)).toEqual([
    { title: '2 messages from Ada', message: 'at 9', count: 2, ...unread },
    { title: '2 messages from Ada', message: 'at 4', count: 2, ...unread },
  ]);
});

test.each<[string, (user: Person) => Promise<unknown>]>([
  [
    'that one',
    async (user) => {
      const all = await readEveryNotification(product, user);
      await arrange(markRead(product, user, all.find(({ type }) => type === 'message')?._id ?? ''));
    },
  ],
  ['all', (user) => arrange(markAllRead(product, user))],
])('A message after the user has read %s begins another notification, which is unread', async (_, read) => {
  const user = await newColleague();
  const { text } = await texting(user);
  await text(0, 'Hello');
  await notifier.take(at(0));
  await read(user);
  await text(1, 'Hello?');
  await notifier.take(at(1));
  expect(await heard(user)).toEqual([
    { title: 'Message from Ada', message: 'Hello?', count: 1, isRead: false },
    { title: 'Message from Ada', message: 'Hello', count: 1, isRead: true },
  ]);
});

test('Messages of different conversations are notifications of their own', async () => {
  const user = await newColleague();
  const [ada, mary] = [await texting(user, 'Ada'), await texting(user, 'Mary')];
  await Promise.all([ada.text(0, 'Hello'), mary.text(0, 'Hi'), ada.text(0, 'Hello')]);
  await notifier.take(at(0));
  const titles = (await heard(user)).map(({ title }) => title);
  expect(titles.sort()).toEqual(['2 messages from Ada', 'Message from Mary']);
});

test('The assignees of the conversation are notified in place of the owner, without the name of a contact that they may not see', async () => {
  const [owner, assignee] = [await newColleague(), await newColleague()];
  const { text } = await texting(owner);
  const { conversationId } = await text(0, 'Hello');
  const assignees = [assignee.userId, admin.userId];
  await arrange(conversationsClient(product, admin).update(conversationId, { assignees }));
  await notifier.take(at(0));
  await text(1, 'Hello?');
  await text(2, 'Hello?');
  await notifier.take(at(2));
  // At the time of the first one, nobody was assigned.
  expect(await heard(owner)).toEqual([{ title: 'Message from Ada', message: 'Hello', count: 1, ...unread }]);
  expect(await heard(assignee)).toEqual([{ title: '2 messages', message: 'Hello?', count: 2, ...unread }]);
  expect((await heard(admin))[0]).toEqual({
    ...{ title: '2 messages from Ada', message: 'Hello?', count: 2 },
    ...unread,
  });
});

test('A user who can no longer see the contact is notified of no further message, nor in the same notification', async () => {
  const [former, next] = [await newColleague(), await newColleague()];
  const { contactId, text } = await texting(former);
  await text(0, 'Hello');
  await notifier.take(at(0));
  await update(contactId, { owner: next.userId });
  await text(1, 'Only for the new owner');
  await notifier.take(at(1));
  expect(await heard(former)).toEqual([{ title: 'Message from Ada', message: 'Hello', count: 1, ...unread }]);
  expect(await heard(next)).toMatchObject([{ message: 'Only for the new owner', count: 1 }]);
});

test('Outbound messages notify nobody, nor do inbound ones of a contact that nobody owns', async () => {
  const user = await newColleague();
  const { contactId, text } = await texting(user);
  await arrange(conversationsClient(product, admin).send({ contactId, content: 'Hello' }));
  await update(contactId, { owner: null });
  await text(0, 'Hello');
  await notifier.take(at(0));
  expect(await heard(user)).toEqual([]);
});

test('Twelve messages at once, each delivered twice at once while the user reads, are each counted once', async () => {
  const user = await newColleague();
  const { text } = await texting(user);
  await Promise.all(Array.from({ length: 12 }, (_, index) => text(index % 3, `${index}`)));
  const reading = async () => {
    for (let time = 0; time < 3; time += 1) {
      const [first] = await readEveryNotification(product, user, { unread: 'true' });
      await (first && arrange(markRead(product, user, first._id)));
      await arrange(markAllRead(product, user));
    }
  };
  const others = [notifierIn(product, admin.organizationId), notifierIn(product, admin.organizationId)];
  await Promise.all([...others.map((one) => one.take(at(2))), notifier.take(at(2)), reading()]);
  const all = await heard(user);
  expect(all.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(12);
  const left = (await readEveryNotification(product, user)).filter(({ isRead }) => !isRead);
  expect(await countUnread(product, user)).toBe(left.length);
});

test('A message that is being counted while the user marks all as read begins an unread notification', async () => {
  const user = await newColleague();
  const { text } = await texting(user);
  await text(0, 'Hello');
  await notifier.take(at(0));
  await text(1, 'Hello?');
  const faults = faultyTable();
  onTestFinished(faults.restore);
  faults.next('TransactWriteItemsCommand', async (next) => {
    await arrange(markAllRead(product, user));
    return next();
  });
  await notifier.take(at(1));
  expect(await heard(user)).toMatchObject([
    { message: 'Hello?', count: 1, isRead: false },
    { message: 'Hello', count: 1, isRead: true },
  ]);
  expect(await countUnread(product, user)).toBe(1);
});

test('Two messages that are delivered at the same moment begin one notification, and a repeated one is not counted', async () => {
  const user = await newColleague();
  const { text } = await texting(user);
  await notifier.take(at(0));
  const other = notifierIn(product, admin.organizationId);
  await other.take(at(0));
  await text(0, 'First');
  await other.take(at(0));
  await text(1, 'Second');
  await text(1, 'Third');
  const faults = faultyTable();
  onTestFinished(faults.restore);
  faults.next('TransactWriteItemsCommand', async (next) => {
    await other.take(at(1));
    return next();
  });
  await notifier.take(at(1));
  expect(await heard(user)).toMatchObject([{ count: 3, ...unread }]);
});

test('The events of a notification of messages go to its user alone, first as created and then as updated', async () => {
  const user = await newColleague();
  const { text } = await texting(user);
  for (const minutes of [0, 1]) {
    await text(minutes, 'Hello');
    await notifier.take(at(minutes));
  }
  await notifier.take(at(1));
  const told = notifier
    .events()
    .filter(({ audience }) => audience.kind === 'users' && audience.userIds.includes(user.userId))
    .filter(({ data }) => (data.notification as { type: string }).type === 'message');
  expect(told.map(({ event }) => event)).toEqual(['notification_created', 'notification_updated']);
  expect(told.map(({ audience }) => audience)).toEqual([
    { kind: 'users', userIds: [user.userId] },
    { kind: 'users', userIds: [user.userId] },
  ]);
  const [{ userId: _, ...notification } = { userId: '' }] = (
    await readEveryNotification(product, user)
  ).filter(({ type }) => type === 'message');
  expect(told[1]?.data).toEqual({
    notificationId: told[0]?.data.notificationId,
    contactId: told[0]?.data.contactId,
    conversationId: told[0]?.data.conversationId,
    messageId: expect.any(String),
    notification,
  });
});

test('A message of a contact that was deleted meanwhile notifies nobody', async () => {
  const user = await newColleague();
  const { contactId, text } = await texting(user);
  await text(0, 'Hello');
  await arrange(product.call('delete-contact', { token: admin.token, path: { id: contactId } }));
  await notifier.take(at(0));
  expect(await readEveryNotification(product, user)).toEqual([]);
});

test('A message notifies its readers at the time when it came in, if they still see it, and not those who have the contact since', async () => {
  const [user, leaving, next] = await Promise.all([newColleague(), newColleague(), newColleague()]);
  const [kept, lost] = [await texting(user), await texting(leaving)];
  await kept.text(0, 'Hello');
  await lost.text(0, 'Hello');
  await update(kept.contactId, { owner: next.userId, assignees: [user.userId] });
  await update(lost.contactId, { owner: next.userId });
  await notifier.take(at(0));
  const counts = await Promise.all(
    [user, leaving, next].map(async (person) => (await messagesTo(person)).length),
  );
  expect(counts).toEqual([1, 0, 0]);
});
