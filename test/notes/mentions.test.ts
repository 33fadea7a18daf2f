import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventFor, subscriberOf } from '../../functions/live/model/audience.ts';
import { usersOf } from '../../shared/visibility.ts';
import { eventsOf } from '../contacts/desk.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, startWorld, type World } from '../harness/world.ts';
import { countOf, notificationsOf } from '../notifications/inbox.ts';
import { type NoteDesk, noteDesk, noteFailure, writtenNote } from './note-desk.ts';

let world: World;
let rep: NoteDesk;
beforeAll(async () => {
  world = await startWorld();
  rep = noteDesk(world.product, world.rep);
});
afterAll(() => world.product.stop());

const newColleague = () => world.product.newColleague(world.admin);
const newContactId = async () => (await world.newContact())._id;
const inboxOf = async (person: Person) => (await notificationsOf(world.product, person)).data;

/** The only notification of a person. */
async function notificationOf(person: Person) {
  const [notification, ...more] = await inboxOf(person);
  if (notification === undefined || more.length > 0) {
    throw new Error(`There is not one notification, but ${more.length + (notification ? 1 : 0)}`);
  }
  return notification;
}

/** What a user's sockets are told of the organization's mentions, oldest first. */
async function pingsOf({ userId, organizationId }: Person) {
  const { table } = world.product.tableOf(organizationId);
  const subscriber = subscriberOf(userId, await usersOf(table));
  const events = await eventsOf(world.product, organizationId);
  return events
    .filter(({ event }) => event === 'notification_created')
    .flatMap((event) => (subscriber && eventFor(subscriber, event)) ?? []);
}

describe('A mention', () => {
  it('stores a notification for each mentioned user, and pings that user alone', async () => {
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
      expect(await countOf(world.product, user)).toBe(1);
    }
    for (const user of [other, world.rep]) {
      expect(await inboxOf(user)).toEqual([]);
      expect(await pingsOf(user)).toEqual([]);
      expect(await countOf(world.product, user)).toBe(0);
    }
  });

  it('of one user several times in a note notifies once', async () => {
    const user = await newColleague();
    const contactId = await newContactId();
    await rep.written(contactId, { mentions: [user.userId, user.userId, user.userId] });
    expect(await inboxOf(user)).toHaveLength(1);
    expect(await countOf(world.product, user)).toBe(1);
  });

  it('of oneself notifies too', async () => {
    const user = await newColleague();
    const { _id } = await world.newContact({ assignees: [user.userId] });
    await noteDesk(world.product, user).written(_id, { mentions: [user.userId] });
    expect(await inboxOf(user)).toMatchObject([{ title: 'Test Person mentioned you' }]);
  });

  it('notifies also a user who wants no mentions', async () => {
    const user = await newColleague();
    await world.product.call('update-notification-preferences', {
      token: user.token,
      body: { mentions: false, other: false },
    });
    await rep.written(await newContactId(), { mentions: [user.userId] });
    expect(await inboxOf(user)).toHaveLength(1);
    expect(await pingsOf(user)).toHaveLength(1);
  });

  it('shows who does not see the contact what was written to them, and nothing of the contact', async () => {
    const { contactId } = await writtenNote(world, world.rep, { mentions: [world.stranger.userId] });
    const text = JSON.stringify([await inboxOf(world.stranger), await pingsOf(world.stranger)]);
    expect(text).toContain('Call back');
    expect(text).not.toContain('Secret');
    expect(text).not.toContain('+999');
    const stranger = noteDesk(world.product, world.stranger);
    expect((await stranger.list(contactId)).status).toBe(404);
  });

  it('of 40 users notifies all of them in one transaction; 41 are a 400', async () => {
    const users = await Promise.all(Array.from({ length: 41 }, newColleague));
    const contactId = await newContactId();
    const ids = users.map(({ userId }) => userId);
    expect(await rep.create({ contactId, note: 'All', mentions: ids })).toMatchObject({
      status: 400,
      body: noteFailure('INVALID', 'mentions must have at most 40 items'),
    });
    const { status, consumed } = await rep.create({ contactId, note: 'Most', mentions: ids.slice(0, 40) });
    expect(status).toBe(201);
    expect(consumed?.roundTrips).toBe(2);
    const inboxes = await Promise.all(users.map(inboxOf));
    expect(inboxes.map((inbox) => inbox.map(({ message }: { message: string }) => message))).toEqual([
      ...Array(40).fill(['Most']),
      [],
    ]);
    expect(await Promise.all(users.map((user) => countOf(world.product, user)))).toEqual([
      ...Array(40).fill(1),
      0,
    ]);
  });

  it.each<[string, () => string]>([
    ['of nobody', () => 'nobody'],
    ['of a user of another organization', () => world.foreigner.userId],
    ['of a SUPERADMIN from elsewhere', () => world.superadmin.userId],
    ['of a contact', () => world.admin.organizationId],
  ])('%s is a 404, and nothing is written', async (_, id) => {
    const user = await newColleague();
    const contactId = await newContactId();
    const events = (await eventsOf(world.product, world.admin.organizationId)).length;
    const mentions = [user.userId, user.userId, id(), world.admin.userId];
    const { status, body } = await rep.create({ contactId, note: 'a', mentions });
    expect({ status, body }).toEqual({
      status: 404,
      body: noteFailure('NOT_FOUND', 'mentions[2] is not the id of a user of this organization'),
    });
    expect(await rep.notes(contactId)).toEqual([]);
    expect(await inboxOf(user)).toEqual([]);
    expect(await countOf(world.product, user)).toBe(0);
    expect(await eventsOf(world.product, world.admin.organizationId)).toHaveLength(events);

    const { _id } = await rep.written(contactId);
    expect((await rep.edit(_id, { note: 'b', mentions })).status).toBe(404);
    expect((await rep.notes(contactId))[0]).toMatchObject({ note: 'Call back', isEdited: false });
    expect(await inboxOf(user)).toEqual([]);
  });

  it('by a SUPERADMIN from elsewhere tells that somebody outside wrote', async () => {
    const user = await newColleague();
    const headers = { 'x-organization-id': world.admin.organizationId };
    const visitor = noteDesk(world.product, world.superadmin, headers);
    await visitor.written(await newContactId(), { mentions: [user.userId] });
    expect((await notificationOf(user)).title).toBe('Someone outside this organization mentioned you');
  });
});

describe('What a notification quotes', () => {
  const quoted = async (note: string) => {
    const user = await newColleague();
    await rep.written(await newContactId(), { note, mentions: [user.userId] });
    return (await notificationOf(user)).message;
  };

  it('is at most 200 characters, counted as code points', async () => {
    expect(await quoted('x'.repeat(200))).toBe('x'.repeat(200));
    expect(await quoted('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`);
    expect(await quoted('😀'.repeat(201))).toBe(`${'😀'.repeat(199)}…`);
  });

  it('never ends within an emoji or a letter with its accents', async () => {
    const family = '👨‍👩‍👧‍👦';
    expect(await quoted(family.repeat(40))).toBe(`${family.repeat(28)}…`);
    expect(await quoted(`${'x'.repeat(198)}e\u0301\u0323${'y'.repeat(10)}`)).toBe(`${'x'.repeat(198)}…`);
  });

  it('is one line', async () => {
    expect(await quoted('  a\n\n\tb  ')).toBe('a b');
  });
});

describe('An edit', () => {
  it('with other mentions notifies those who are new, with the new text', async () => {
    const [old, fresh] = await Promise.all([newColleague(), newColleague()]);
    const { _id } = await writtenNote(world, world.rep, { note: 'Draft', mentions: [old.userId] });
    await rep.edit(_id, { note: 'Final', mentions: [fresh.userId, old.userId, fresh.userId] });
    expect(await inboxOf(old)).toMatchObject([{ message: 'Draft' }]);
    expect(await inboxOf(fresh)).toMatchObject([{ message: 'Final', noteId: _id }]);
    expect(await pingsOf(fresh)).toHaveLength(1);
    await rep.edit(_id, { note: 'Really final' });
    expect(await inboxOf(old)).toHaveLength(1);
    expect(await inboxOf(fresh)).toHaveLength(1);
  });

  it('twenty times at once notifies once', async () => {
    const user = await newColleague();
    const { _id } = await writtenNote(world, world.rep, { note: 'Draft' });
    await Promise.all(
      Array.from({ length: 20 }, () => rep.edit(_id, { note: 'Final', mentions: [user.userId] })),
    );
    expect(await inboxOf(user)).toHaveLength(1);
    expect(await countOf(world.product, user)).toBe(1);
  });
});

it('Notifications outlive the note and the contact they are about', async () => {
  const user = await newColleague();
  const { _id, contactId } = await writtenNote(world, world.rep, { mentions: [user.userId] });
  await rep.remove(_id);
  await world.product.call('delete-contact', { token: world.rep.token, path: { id: contactId } });
  expect(await inboxOf(user)).toMatchObject([{ noteId: _id, contactId, message: 'Call back' }]);
});
