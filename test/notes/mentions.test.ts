import { expect, test } from 'vitest';
import { eventFor, knownSubscriber } from '../../functions/live/model/audience.ts';
import { readUsers } from '../../shared/organizations/visibility.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { countUnread, markAllRead, markRead, readNotifications } from '../notifications/client.ts';
import { noteFailure, notesClient, writtenNote } from './client.ts';

const tenants = await setUpTenants();
const { product, superadmin, admin, newContact } = tenants;
const rep = notesClient(product, tenants.rep);

/** Somebody who sees every contact. */
const newColleague = () => product.newColleague(admin, 'ADMIN');
const newContactId = async () => (await newContact())._id;
const notificationsFor = async (person: Person) => (await readNotifications(product, person)).data;

/** The only notification of a person. */
async function notificationOf(person: Person) {
  const [notification, ...more] = await notificationsFor(person);
  if (notification === undefined || more.length > 0) {
    throw new Error(`There is not one notification, but ${more.length + (notification ? 1 : 0)}`);
  }
  return notification;
}

const countsOf = (people: readonly Person[]) =>
  Promise.all(people.map((person) => countUnread(product, person)));

/** What a user's sockets are told of the organization's mentions, oldest first. */
async function pingsOf({ userId, organizationId }: Person) {
  const { table } = product.tableOf(organizationId);
  const subscriber = knownSubscriber(userId, await readUsers(table));
  const events = await readEvents(product, organizationId);
  return events
    .filter(({ event }) => event === 'notification_created')
    .flatMap((event) => (subscriber && eventFor(subscriber, event)) ?? []);
}

test('A mention stores a notification for each mentioned user, and pings that user alone', async () => {
  const [one, two, other] = await Promise.all([newColleague(), newColleague(), newColleague()]);
  const contactId = await newContactId();
  const at = new Date();
  const mentions = [one.userId, two.userId];
  const note = expectStatus(
    await rep.create({ contactId, note: '@Test  Person\nplease call', mentions }, at),
    201,
  ).data;

  for (const user of [one, two]) {
    const notification = await notificationOf(user);
    const { userId, ...pinged } = notification;
    expect(userId).toBe(user.userId);
    expect(notification).toEqual({
      _id: expect.any(String),
      userId: user.userId,
      type: 'mention',
      title: 'Test Person mentioned you',
      message: '@Test Person please call',
      contactId,
      noteId: note._id,
      isRead: false,
      createdAt: at.toISOString(),
    });
    expect((await pingsOf(user)).map(({ event, data }) => ({ event, data }))).toEqual([
      {
        event: 'notification_created',
        data: { notificationId: notification._id, contactId, noteId: note._id, notification: pinged },
      },
    ]);
    expect(await countUnread(product, user)).toBe(1);
  }
  for (const user of [other, tenants.rep]) {
    expect(await notificationsFor(user)).toEqual([]);
    expect(await pingsOf(user)).toEqual([]);
    expect(await countUnread(product, user)).toBe(0);
  }
});

test('A mention of one user several times in a note notifies once', async () => {
  const user = await newColleague();
  const contactId = await newContactId();
  await rep.written(contactId, { mentions: [user.userId, user.userId, user.userId] });
  expect(await notificationsFor(user)).toHaveLength(1);
  expect(await countUnread(product, user)).toBe(1);
});

test('A mention of oneself notifies too', async () => {
  const user = await newColleague();
  const { _id } = await newContact({ assignees: [user.userId] });
  await notesClient(product, user).written(_id, { mentions: [user.userId] });
  expect(await notificationsFor(user)).toMatchObject([{ title: 'Test Person mentioned you' }]);
});

test('A mention notifies also a user who wants no mentions', async () => {
  const user = await newColleague();
  await arrange(
    product.call('update-notification-preferences', {
      token: user.token,
      body: { mentions: false, other: false },
    }),
  );
  await rep.written(await newContactId(), { mentions: [user.userId] });
  expect(await notificationsFor(user)).toHaveLength(1);
  expect(await pingsOf(user)).toHaveLength(1);
});

/** Decisions 9 and 4: a mention always stores a notification, and nobody learns of a contact that they cannot see. */
test('A mention notifies and pings also those who cannot see the contact, without a word of the note or of the contact', async () => {
  const seeing = [tenants.head, tenants.rep, tenants.admin];
  const others = [tenants.otherRep, tenants.otherHead];
  const mentions = [...seeing, ...others].map(({ userId }) => userId);
  const before = await countsOf(others);
  const { contactId, _id: noteId } = await writtenNote(tenants, tenants.rep, { mentions });
  for (const user of seeing) {
    expect((await notificationsFor(user))[0]).toMatchObject({ noteId, message: 'Call back' });
  }
  for (const user of others) {
    expect((await notificationsFor(user))[0]).toMatchObject({
      ...{ type: 'mention', title: 'Test Person mentioned you', contactId, noteId },
      message: 'In a note on a contact that you cannot see.',
    });
    expect((await pingsOf(user)).at(-1)?.data).toMatchObject({ noteId });
    const text = JSON.stringify([await notificationsFor(user), await pingsOf(user)]);
    for (const hidden of ['Call back', 'Secret', '+999']) {
      expect(text).not.toContain(hidden);
    }
    expect((await notesClient(product, user).list(contactId)).status).toBe(404);
  }
  expect(await countsOf(others)).toEqual(before.map((count) => count + 1));
});

test('A mention that an edit adds says nothing of the note to who cannot see the contact, even if they get to see it later', async () => {
  const [blind, seeing] = await product.newColleagues(admin, [{ role: 'SALES_REP' }, { role: 'SALES_REP' }]);
  const { _id, contactId } = await writtenNote(tenants, tenants.rep, { note: 'Draft' });
  const assign = (assignees: string[]) =>
    arrange(
      product.call('update-contact', { token: admin.token, path: { id: contactId }, body: { assignees } }),
    );
  await assign([seeing.userId]);
  await arrange(rep.edit(_id, { note: 'Final', mentions: [blind.userId, seeing.userId] }));
  await assign([blind.userId, seeing.userId]);
  expect(await notificationOf(seeing)).toMatchObject({ message: 'Final' });
  expect(await notificationOf(blind)).toMatchObject({
    message: 'In a note on a contact that you cannot see.',
  });
  await arrange(rep.remove(_id));
  expect(await countsOf([blind, seeing])).toEqual([0, 0]);
});

test('A mention of 40 users notifies all of them; 41 are a 400', async () => {
  const users = await Promise.all(Array.from({ length: 41 }, newColleague));
  const contactId = await newContactId();
  const ids = users.map(({ userId }) => userId);
  expect(await rep.create({ contactId, note: 'All', mentions: ids })).toMatchObject(
    noteFailure(400, 'INVALID', 'mentions must have at most 40 items'),
  );
  expect((await rep.create({ contactId, note: 'Most', mentions: ids.slice(0, 40) })).status).toBe(201);
  const inboxes = await Promise.all(users.map(notificationsFor));
  expect(
    inboxes.map((notifications) => notifications.map(({ message }: { message: string }) => message)),
  ).toEqual([...Array(40).fill(['Most']), []]);
  expect(await Promise.all(users.map((user) => countUnread(product, user)))).toEqual([
    ...Array(40).fill(1),
    0,
  ]);
});

test('A mention by a SUPERADMIN from elsewhere says that somebody outside wrote', async () => {
  const user = await newColleague();
  const headers = { 'x-organization-id': admin.organizationId };
  const visitor = notesClient(product, superadmin, headers);
  await visitor.written(await newContactId(), { mentions: [user.userId] });
  expect((await notificationOf(user)).title).toBe('Someone outside this organization mentioned you');
});

const quoted = async (note: string) => {
  const user = await newColleague();
  await rep.written(await newContactId(), { note, mentions: [user.userId] });
  return (await notificationOf(user)).message;
};

test('What a notification quotes is at most 200 characters, counted as code points', async () => {
  expect(await quoted('x'.repeat(200))).toBe('x'.repeat(200));
  expect(await quoted('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`);
  expect(await quoted('😀'.repeat(201))).toBe(`${'😀'.repeat(199)}…`);
});

test('What a notification quotes never ends within an emoji or a letter with its accents', async () => {
  const family = '👨‍👩‍👧‍👦';
  expect(await quoted(family.repeat(40))).toBe(`${family.repeat(28)}…`);
  expect(await quoted(`${'x'.repeat(198)}e\u0301\u0323${'y'.repeat(10)}`)).toBe(`${'x'.repeat(198)}…`);
});

test('What a notification quotes is one line', async () => {
  expect(await quoted('  a\n\n\tb  ')).toBe('a b');
});

test('An edit with other mentions notifies those who are new, with the new text', async () => {
  const [old, fresh] = await Promise.all([newColleague(), newColleague()]);
  const { _id } = await writtenNote(tenants, tenants.rep, { note: 'Draft', mentions: [old.userId] });
  await arrange(rep.edit(_id, { note: 'Final', mentions: [fresh.userId, old.userId, fresh.userId] }));
  expect(await notificationsFor(old)).toMatchObject([{ message: 'Draft' }]);
  expect(await notificationsFor(fresh)).toMatchObject([{ message: 'Final', noteId: _id }]);
  expect(await pingsOf(fresh)).toHaveLength(1);
  await arrange(rep.edit(_id, { note: 'Really final' }));
  expect(await notificationsFor(old)).toHaveLength(1);
  expect(await notificationsFor(fresh)).toHaveLength(1);
});

test('An edit twenty times at once notifies once', async () => {
  const user = await newColleague();
  const { _id } = await writtenNote(tenants, tenants.rep, { note: 'Draft' });
  await Promise.all(
    Array.from({ length: 20 }, () => rep.edit(_id, { note: 'Final', mentions: [user.userId] })),
  );
  expect(await notificationsFor(user)).toHaveLength(1);
  expect(await countUnread(product, user)).toBe(1);
});

test('A deleted note takes the notifications of its mentions along, read or not; those of other notes stay', async () => {
  const [one, two, three] = await Promise.all([newColleague(), newColleague(), newColleague()]);
  const { _id, contactId } = await writtenNote(tenants, tenants.rep, { mentions: [one.userId, two.userId] });
  await arrange(rep.edit(_id, { mentions: [one.userId, two.userId, three.userId] }));
  await arrange(markRead(product, one, (await notificationOf(one))._id));
  await arrange(markAllRead(product, two));
  const other = await rep.written(contactId, { mentions: [two.userId, three.userId] });
  await arrange(rep.remove(_id));
  expect(await notificationsFor(one)).toEqual([]);
  expect(await notificationOf(two)).toMatchObject({ noteId: other._id });
  expect(await notificationOf(three)).toMatchObject({ noteId: other._id });
  expect(await countsOf([one, two, three])).toEqual([0, 1, 1]);
});

test('A note that is deleted while those whom it mentions read leaves no notification, and exact numbers', async () => {
  const users = await Promise.all(Array.from({ length: 10 }, newColleague));
  const { _id } = await writtenNote(tenants, tenants.rep, { mentions: users.map(({ userId }) => userId) });
  const ids = await Promise.all(users.map(async (user) => (await notificationOf(user))._id));
  await Promise.all([
    rep.remove(_id),
    ...users.map((user, index) =>
      index % 2 === 0 ? markRead(product, user, ids[index] ?? '') : markAllRead(product, user),
    ),
  ]);
  expect((await Promise.all(users.map(notificationsFor))).flat()).toEqual([]);
  expect(await countsOf(users)).toEqual(Array(10).fill(0));
});

test('An edit that takes a mention out of a note takes its notification along, and putting it back notifies again', async () => {
  const [gone, kept] = await Promise.all([newColleague(), newColleague()]);
  const { _id } = await writtenNote(tenants, tenants.rep, {
    note: 'Draft',
    mentions: [gone.userId, kept.userId],
  });
  await arrange(rep.edit(_id, { mentions: [kept.userId] }));
  expect(await notificationsFor(gone)).toEqual([]);
  expect(await countUnread(product, gone)).toBe(0);
  expect(await notificationOf(kept)).toMatchObject({ message: 'Draft', isRead: false });

  await arrange(rep.edit(_id, { note: 'Final', mentions: [kept.userId, gone.userId] }));
  expect(await notificationOf(gone)).toMatchObject({ message: 'Final', noteId: _id });
  await arrange(rep.remove(_id));
  expect(await notificationsFor(gone)).toEqual([]);
  expect(await countsOf([gone, kept])).toEqual([0, 0]);
});

test('An edit that mentions so many others that one transaction has no room for them notifies those alone', async () => {
  const users = await Promise.all(Array.from({ length: 60 }, newColleague));
  const ids = users.map(({ userId }) => userId);
  const { _id } = await writtenNote(tenants, tenants.rep, { mentions: ids.slice(0, 30) });
  await arrange(rep.edit(_id, { mentions: ids.slice(30) }));
  expect(await countsOf(users)).toEqual([...Array(30).fill(0), ...Array(30).fill(1)]);
  await arrange(rep.remove(_id));
  expect((await Promise.all(users.map(notificationsFor))).flat()).toEqual([]);
  expect(await countsOf(users)).toEqual(Array(60).fill(0));
});
