import { afterEach, expect, test } from 'vitest';
import { conflict, replyLost, timedOut } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange } from '../harness/tenants.ts';
import { countUnread, markAllRead, markRead, readNotifications } from '../notifications/client.ts';
import { type Note, noteFailure, notesClient, writtenNote } from './client.ts';

const tenants = await setUpTenants();
const { product, admin, newContact } = tenants;
const rep = notesClient(product, tenants.rep);
const table = setUpFaultyTable();
afterEach(() => table.clear());

const transaction = 'TransactWriteItemsCommand';

/** A contact, and a user to mention in notes on it. */
async function arranged() {
  const [user, { _id: contactId }] = await Promise.all([product.newColleague(admin), newContact()]);
  return { user, contactId, body: { contactId, note: 'Call back', mentions: [user.userId] } };
}

const notificationsFor = async (user: Person) => ({
  stored: (await readNotifications(product, user)).data.length,
  unread: await countUnread(product, user),
});

test.each([
  ['whose confirmation is lost', replyLost],
  ['that meets another transaction', conflict],
  ['that does not arrive at first', timedOut],
])('A note with a mention %s is written once, and notifies once', async (_, fault) => {
  const { user, contactId, body } = await arranged();
  table.next(transaction, fault);
  expect((await rep.create(body)).status).toBe(201);
  expect(table.tries(transaction).length).toBeGreaterThan(1);
  expect(await rep.notes(contactId)).toHaveLength(1);
  expect(await notificationsFor(user)).toEqual({ stored: 1, unread: 1 });
});

test('A mention says nothing of the note to who loses the contact before the note is written', async () => {
  const reader = await product.newColleague(admin);
  const { _id: contactId } = await newContact({ assignees: [reader.userId] });
  table.next(transaction, async (next) => {
    const path = { id: contactId };
    await arrange(product.call('update-contact', { token: admin.token, path, body: { assignees: [] } }));
    return next();
  });
  await rep.written(contactId, { mentions: [reader.userId] });
  expect((await readNotifications(product, reader)).data).toMatchObject([
    { type: 'mention', message: 'In a note on a contact that you cannot see.' },
  ]);
});

test('A note with a mention is a 503 while the table cannot be reached, and nothing is written', async () => {
  const { user, contactId, body } = await arranged();
  table.always(transaction, timedOut);
  const { status, body: response, headers } = await rep.create(body);
  expect({ status, body: response }).toEqual(
    noteFailure(503, 'UNAVAILABLE', 'The service is busy. Try again shortly.'),
  );
  expect(headers['retry-after']).toBe('1');
  table.clear();
  expect(await rep.notes(contactId)).toEqual([]);
  expect(await notificationsFor(user)).toEqual({ stored: 0, unread: 0 });
});

test('A note with a mention keeps its id and time however often the user marks all others as read before it is there, and is unread', async () => {
  const { user, contactId, body } = await arranged();
  const clearing = async (next: () => Promise<unknown>) => {
    await arrange(markAllRead(product, user));
    return next();
  };
  table.next(transaction, clearing, clearing, clearing);
  const { data } = (await rep.create(body)).body;
  expect(await rep.notes(contactId)).toEqual([data]);
  expect(await notificationsFor(user)).toEqual({ stored: 1, unread: 1 });
});

test.each<[string, (note: Note) => Promise<unknown>]>([
  ['', async () => undefined],
  [', and that somebody else follows at once,', ({ _id }) => notesClient(product, admin).react(_id, '🎉')],
])('A reaction whose confirmation is lost%s is not taken back', async (_, meanwhile) => {
  const { contactId, ...note } = await writtenNote(tenants, tenants.rep);
  table.next(transaction, async (next) => {
    await next();
    await meanwhile(note);
    return replyLost(async () => undefined);
  });
  expect((await rep.react(note._id, '👍')).status).toBe(200);
  expect((await rep.notes(contactId))[0]?.reactions[0]).toEqual({
    emoji: '👍',
    users: [tenants.rep.userId],
    count: 1,
  });
});

test('Marking notifications as read one by one counts once when the confirmation is lost', async () => {
  const { user, body } = await arranged();
  await arrange(rep.create(body));
  await arrange(rep.create(body));
  const [{ _id } = { _id: '' }] = (await readNotifications(product, user)).data;
  table.next(transaction, replyLost);
  expect((await markRead(product, user, _id)).status).toBe(200);
  expect(await notificationsFor(user)).toEqual({ stored: 2, unread: 1 });
});

test('Marking all notifications as read holds when the confirmation is lost', async () => {
  const { user, body } = await arranged();
  await arrange(rep.create(body));
  table.next('UpdateItemCommand', replyLost);
  expect((await markAllRead(product, user)).body.data).toEqual({ count: 0 });
  await arrange(rep.create(body));
  expect(await notificationsFor(user)).toEqual({ stored: 2, unread: 1 });
});

test('Marking a notification as read while all are marked counts none of them twice', async () => {
  const { user, body } = await arranged();
  await arrange(rep.create(body));
  await arrange(rep.create(body));
  const [{ _id } = { _id: '' }] = (await readNotifications(product, user)).data;
  table.next(transaction, async (next) => {
    await arrange(markAllRead(product, user));
    return next();
  });
  expect((await markRead(product, user, _id)).body.data.isRead).toBe(true);
  expect(await notificationsFor(user)).toEqual({ stored: 2, unread: 0 });
});

test('An edit that mentions someone while the note is being deleted leaves no notification', async () => {
  const { user, contactId } = await arranged();
  const { _id } = await rep.written(contactId);
  table.clear();
  // The deletion reads whom the note notified beside the note itself, which it gets only after the edit.
  let edited: Promise<unknown> | undefined;
  table.always('GetItemCommand', async (next, input) => {
    if (edited === undefined && JSON.stringify(input).includes(`NOTE#${_id}`)) {
      edited = arrange(rep.edit(_id, { mentions: [user.userId] }));
      await edited;
    }
    return next();
  });
  expect((await rep.remove(_id)).status).toBe(200);
  expect(edited).toBeDefined();
  expect(await rep.notes(contactId)).toEqual([]);
  expect(await notificationsFor(user)).toEqual({ stored: 0, unread: 0 });
});
