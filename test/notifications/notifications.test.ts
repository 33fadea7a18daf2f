import { expect, onTestFinished, test } from 'vitest';
import { faultyTable } from '../contacts/faulty-table.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, failure, outcome } from '../harness/tenants.ts';
import { notesClient } from '../notes/client.ts';
import { countUnread, markAllRead, markRead, readEveryNotification, readNotifications } from './client.ts';

const { product, superadmin, admin, rep, foreignAdmin, newContact } = await setUpTenants();
const contactId: string = (await newContact())._id;

/** Somebody who sees every contact. */
const newColleague = () => product.newColleague(admin, 'ADMIN');

/** `rep` mentions the user in so many notes, one after the other; the last says the highest number. */
async function mention(user: Person, times: number): Promise<void> {
  const notes = notesClient(product, rep);
  for (let index = 0; index < times; index += 1) {
    const body = { contactId, note: `${index}`, mentions: [user.userId] };
    await arrange(notes.create(body, new Date(Date.now() + index)));
  }
}

const messages = (list: { message: string }[]) => list.map(({ message }) => Number(message));
const list = (user: Person, query: Record<string, string> = {}) =>
  readEveryNotification(product, user, query);
const count = (user: Person) => countUnread(product, user);

test('Notifications are listed newest first as {success, data, nextCursor}, page by page', async () => {
  const user = await newColleague();
  await mention(user, 5);
  const first = await readNotifications(product, user, { limit: '2' });
  expect(Object.keys(first)).toEqual(['success', 'data', 'nextCursor']);
  expect(messages(first.data)).toEqual([4, 3]);
  expect(messages(await list(user, { limit: '2' }))).toEqual([4, 3, 2, 1, 0]);
  expect(Object.keys(first.data[0] ?? {})).toEqual([
    '_id',
    'userId',
    'type',
    'title',
    'message',
    'contactId',
    'noteId',
    'isRead',
    'createdAt',
  ]);
});

test('Notifications are paged in their order, whichever of them are read', async () => {
  const user = await newColleague();
  await mention(user, 9);
  const all = await list(user);
  for (const index of [1, 2, 5, 8]) {
    await arrange(markRead(product, user, all[index]?._id ?? ''));
  }
  for (const limit of ['1', '2', '3', '100']) {
    const paged = await list(user, { limit });
    expect(messages(paged)).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(paged.filter(({ isRead }) => isRead).map(({ message }) => Number(message))).toEqual([7, 6, 3, 0]);
    expect(messages(await list(user, { limit, unread: 'true' }))).toEqual([8, 5, 4, 2, 1]);
    expect(messages(await list(user, { limit, unread: 'false' }))).toEqual([7, 6, 3, 0]);
  }
  expect(await count(user)).toBe(5);
});

test("Notifications are the caller's own, and other people's are a 404", async () => {
  const [user, other] = await Promise.all([newColleague(), newColleague()]);
  await mention(user, 1);
  const [{ _id } = { _id: '' }] = await list(user);
  expect(await list(other)).toEqual([]);
  for (const someone of [other, admin, rep, foreignAdmin, superadmin]) {
    expect(outcome(await markRead(product, someone, _id))).toEqual(failure(404, 'Notification not found'));
  }
  expect(await count(user)).toBe(1);
  expect((await markRead(product, user, 'nowhere')).status).toBe(404);
});

test('Notifications of a SUPERADMIN are none in another organization', async () => {
  const headers = { 'x-organization-id': admin.organizationId };
  const call = { token: superadmin.token, headers };
  expect((await product.call('list-notifications', call)).body.data).toEqual([]);
  expect((await product.call('count-unread-notifications', call)).body).toEqual({
    success: true,
    data: { count: 0 },
  });
});

test.each(['yes', ''])('Notifications cannot be asked for with the filter unread=%s', async (unread) => {
  const { status } = await product.call('list-notifications', { token: rep.token, query: { unread } });
  expect(status).toBe(400);
});

test('Marking one as read returns it as read, counts it once, and does nothing the second time', async () => {
  const user = await newColleague();
  await mention(user, 2);
  const [notification, other] = await list(user);
  for (let time = 0; time < 2; time += 1) {
    expect(outcome(await markRead(product, user, notification?._id ?? ''))).toEqual({
      status: 200,
      body: {
        success: true,
        message: 'Notification marked as read',
        data: { ...notification, isRead: true },
      },
    });
    expect(await count(user)).toBe(1);
  }
  expect(await list(user)).toEqual([{ ...notification, isRead: true }, other]);
});

test('Marking one as read twenty times at once counts once, and never says that it is missing', async () => {
  const user = await newColleague();
  await mention(user, 2);
  const [{ _id } = { _id: '' }] = await list(user);
  const responses = await Promise.all(Array.from({ length: 20 }, () => markRead(product, user, _id)));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await count(user)).toBe(1);
});

test('Marking one as read while a list is being read does not hide it from that list', async () => {
  const user = await newColleague();
  await mention(user, 2);
  const [{ _id } = { _id: '' }] = await list(user);
  const faults = faultyTable();
  onTestFinished(faults.restore);
  faults.next('QueryCommand', async (next) => {
    await arrange(markRead(product, user, _id));
    return next();
  });
  expect(messages(await list(user))).toEqual([1, 0]);
});

test('Marking all as read leaves none unread, and what comes afterwards is unread again', async () => {
  const user = await newColleague();
  await mention(user, 3);
  expect(outcome(await markAllRead(product, user))).toEqual({
    status: 200,
    body: { success: true, message: 'All notifications marked as read', data: { count: 0 } },
  });
  expect(await count(user)).toBe(0);
  expect((await list(user)).map(({ isRead }) => isRead)).toEqual([true, true, true]);
  expect(await list(user, { unread: 'true' })).toEqual([]);
  expect(await list(user, { unread: 'false', limit: '2' })).toHaveLength(3);

  await mention(user, 2);
  expect(await count(user)).toBe(2);
  expect(messages(await list(user, { unread: 'true', limit: '1' }))).toEqual([1, 0]);
  expect((await list(user)).map(({ isRead }) => isRead)).toEqual([false, false, true, true, true]);
  expect(messages(await list(user, { unread: 'false' }))).toEqual([2, 1, 0]);
});

test('Marking all as read keeps those read one by one read, and counts none of them twice', async () => {
  const user = await newColleague();
  await mention(user, 3);
  const [{ _id } = { _id: '' }, second] = await list(user);
  await arrange(markRead(product, user, _id));
  await arrange(markAllRead(product, user));
  expect((await markRead(product, user, second?._id ?? '')).body.data.isRead).toBe(true);
  expect((await markRead(product, user, _id)).status).toBe(200);
  expect(await count(user)).toBe(0);
  await mention(user, 1);
  expect(await count(user)).toBe(1);
});

test('Marking all as read ends the pages of the unread ones that were begun before', async () => {
  const user = await newColleague();
  await mention(user, 3);
  const { nextCursor } = await readNotifications(product, user, { unread: 'true', limit: '1' });
  await arrange(markAllRead(product, user));
  await mention(user, 1);
  const rest = await readNotifications(product, user, { unread: 'true', cursor: nextCursor ?? '' });
  expect(rest).toMatchObject({ data: [], nextCursor: null });
});

test.each<[Record<string, string>, { message: string; isRead: boolean }[]]>([
  [
    {},
    [
      { message: 'New', isRead: false },
      { message: 'Old', isRead: true },
    ],
  ],
  [{ unread: 'true' }, [{ message: 'New', isRead: false }]],
  [{ unread: 'false' }, [{ message: 'Old', isRead: true }]],
])(
  'Marking all as read while a list with %j is being read never shows what comes after it as read',
  async (query, expected) => {
    const user = await newColleague();
    const notes = notesClient(product, rep);
    const tell = (note: string) => notes.create({ contactId, note, mentions: [user.userId] });
    await tell('Old');
    await arrange(markAllRead(product, user));
    await tell('Unread');
    const faults = faultyTable();
    onTestFinished(faults.restore);
    const told = Promise.withResolvers<void>();
    faults.next('GetItemCommand', async (next) => {
      const counter = await next();
      await arrange(markAllRead(product, user));
      await tell('New');
      told.resolve();
      return counter;
    });
    faults.next('QueryCommand', async (next) => {
      await told.promise;
      return next();
    });
    const { data } = await readNotifications(product, user, query);
    const shown = data.map(({ message, isRead }) => ({ message, isRead }));
    expect(shown.filter(({ message }) => message !== 'Unread')).toEqual(expected);
  },
);

test('Marking all as read while others write counts exactly what is unread in the end, and marks nothing that came later', async () => {
  const user = await newColleague();
  const writers = Array.from({ length: 8 }, () => mention(user, 6));
  const readers = Array.from({ length: 6 }, async () => {
    for (let time = 0; time < 3; time += 1) {
      await arrange(markAllRead(product, user));
      const [newest] = await list(user);
      if (newest !== undefined) {
        await arrange(markRead(product, user, newest._id));
      }
    }
  });
  await Promise.all([...writers, ...readers]);

  const all = await list(user);
  const unread = all.filter(({ isRead }) => !isRead);
  expect(all).toHaveLength(48);
  expect(await count(user)).toBe(unread.length);
  expect(await list(user, { unread: 'true', limit: '3' })).toEqual(unread);
  expect(await list(user, { unread: 'false', limit: '7' })).toEqual(all.filter(({ isRead }) => isRead));

  await mention(user, 1);
  expect(await count(user)).toBe(unread.length + 1);
  await arrange(markAllRead(product, user));
  expect(await count(user)).toBe(0);
});
