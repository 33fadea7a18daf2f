import { expect, test } from 'vitest';
import { callsClient } from '../calls/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange } from '../harness/tenants.ts';
import { notesClient, writtenNote } from '../notes/client.ts';
import { markAllRead, markRead, readEveryNotification } from './client.ts';
import { notifierIn } from './notifier.ts';

// In effect: "every change makes its event in its own transaction", so also the end of a notification.

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const notes = notesClient(product, rep);

/** The events that tell of the end of a notification, with whom they tell. */
const endsOf = async (id: string | undefined) =>
  (await readEvents(product, admin.organizationId))
    .filter(({ event, data }) => event === 'notification_deleted' && data.notificationId === id)
    .map(({ data, audience }) => ({
      isRead: data.isRead,
      to: audience.kind === 'users' ? audience.userIds.toSorted() : undefined,
    }));
const idsOf = (...people: Person[]) => people.map(({ userId }) => userId).sort();
const idOf = async (person: Person) => (await readEveryNotification(product, person))[0]?._id;

test('Users are told when a mention is gone with its note, and whether they had read it', async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => product.newColleague(admin)));
  const [one, two, opened, cleared] = people as [Person, Person, Person, Person];
  const { _id } = await writtenNote(tenants, rep, { mentions: people.map(({ userId }) => userId) });
  const id = await idOf(one);
  await arrange(markRead(product, opened, id ?? ''));
  await arrange(markAllRead(product, cleared));
  await arrange(notes.remove(_id));
  const ends = await endsOf(id);
  expect(ends.toSorted((end, other) => Number(end.isRead) - Number(other.isRead))).toEqual([
    { isRead: false, to: idsOf(one, two) },
    { isRead: true, to: idsOf(opened, cleared) },
  ]);
});

test('Users are told when an edit takes their mention out of a note, and nobody else is', async () => {
  const [gone, kept] = [await product.newColleague(admin), await product.newColleague(admin)];
  const { _id } = await writtenNote(tenants, rep, { mentions: [gone.userId, kept.userId] });
  const id = await idOf(gone);
  await arrange(notes.edit(_id, { mentions: [kept.userId] }));
  expect(await endsOf(id)).toEqual([{ isRead: false, to: idsOf(gone) }]);
  await arrange(notes.remove(_id));
  expect(await endsOf(id)).toEqual([
    { isRead: false, to: idsOf(gone) },
    { isRead: false, to: idsOf(kept) },
  ]);
});

test('A user is told when a missed call is discarded, once however often', async () => {
  const user = await product.newColleague(admin);
  const calls = callsClient(product, user);
  const { _id } = await calls.missed({ callerNumber: 'anonymous' });
  await notifierIn(product, admin.organizationId).take();
  const id = await idOf(user);
  await Promise.all(Array.from({ length: 5 }, () => calls.discard(_id)));
  expect(await endsOf(id)).toEqual([{ isRead: false, to: idsOf(user) }]);
});

test('A user is told when a notification is gone with its contact', async () => {
  const stream = await tableStream(product);
  const user = await product.newColleague(admin);
  const { contactId } = await writtenNote(tenants, rep, { mentions: [user.userId] });
  const id = await idOf(user);
  await stream.settle();
  await arrange(product.call('delete-contact', { token: admin.token, path: { id: contactId } }));
  await stream.settle();
  expect(await readEveryNotification(product, user)).toEqual([]);
  expect(await endsOf(id)).toEqual([{ isRead: false, to: idsOf(user) }]);
});
