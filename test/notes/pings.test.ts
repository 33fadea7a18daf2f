import { expect, test } from 'vitest';
import { setUpLiveHost } from '../live/fixtures.ts';
import type { Frame } from '../live/frame.ts';

const host = await setUpLiveHost();

const isMention = ({ event, data }: Frame) =>
  event === 'notification_created' && (data.notification as { type?: string }).type === 'mention';

test('A mention reaches every open socket of the mentioned users, and no other socket', async () => {
  const admin = await host.newOrganization();
  const [author, mentioned, alsoMentioned, bystander, foreignAdmin] = await Promise.all([
    host.newColleague(admin),
    host.newColleague(admin),
    host.newColleague(admin),
    host.newColleague(admin, 'ADMIN'),
    host.newOrganization(),
  ]);
  const sockets = await Promise.all(
    [mentioned, mentioned, alsoMentioned, author, bystander, admin, foreignAdmin].map((user) =>
      host.open(user),
    ),
  );
  const [first, second, third, ...others] = sockets;
  const ofAuthor = await host.as(author);
  const ada = { firstName: 'Ada', assignees: [mentioned.id] };
  const { data: contact } = await ofAuthor.createContact(ada);
  const note = { contactId: contact._id, note: 'Please call', mentions: [mentioned.id, alsoMentioned.id] };
  const { data } = await ofAuthor.createNote(note);

  for (const [socket, user, message] of [
    [first, mentioned, 'Please call'],
    [second, mentioned, 'Please call'],
    [third, alsoMentioned, 'In a note on a contact that you cannot see.'],
  ] as const) {
    const ping = await socket?.frame(isMention);
    expect(ping?.data).toMatchObject({
      contactId: contact._id,
      noteId: data._id,
      notification: { type: 'mention', message, isRead: false },
    });
    // The notification of the assignment may come before or after that of the mention.
    const client = await host.as(user);
    const { data: notifications } = await client.listNotifications();
    const mentions = notifications.filter(({ type }: { type: string }) => type === 'mention');
    expect(mentions).toMatchObject([{ _id: ping?.data.notificationId }]);
    const read = await client.markNotificationRead({ id: mentions[0]._id });
    expect(read.data.isRead).toBe(true);
  }

  // What everybody of the organization hears of comes after the mention: by then it has reached whomever it reaches.
  const last = (await ofAuthor.createContact({ firstName: 'Last' })).data;
  const watching = [author, bystander, admin];
  await Promise.all(
    others
      .slice(0, watching.length)
      .map((socket) => socket.frame((frame) => frame.data.contactId === last._id)),
  );
  expect(others.flatMap(({ frames }) => frames.filter(isMention))).toEqual([]);
  expect(sockets.slice(0, 3).map(({ frames }) => frames.filter(isMention).length)).toEqual([1, 1, 1]);
  await Promise.all(sockets.map((socket) => socket.close()));
});

test('A mention that was missed comes when the mentioned user resumes, and to nobody else', async () => {
  const admin = await host.newOrganization();
  const [author, mentioned] = await Promise.all([host.newColleague(admin), host.newColleague(admin)]);
  const create = async (body: Record<string, unknown>, route = 'POST /api/contacts/create') =>
    (await host.call(route, author, body)).data;
  const [before, other] = await Promise.all([host.open(mentioned), host.open(author)]);
  const contact = await create({ firstName: 'Ada', assignees: [mentioned.id] });
  const seen = await before.frame(({ data }) => data.contactId === contact._id);
  const seenByOther = await other.frame(({ data }) => data.contactId === contact._id);
  await before.close();
  const mention = { contactId: contact._id, note: 'Missed', mentions: [mentioned.id] };
  const note = await create(mention, 'POST /api/contact-notes');

  const after = await host.open(mentioned);
  after.send({ action: 'resume', since: seen.id });
  expect((await after.frame(isMention)).data.noteId).toBe(note._id);
  other.send({ action: 'resume', since: seenByOther.id });
  await other.frame(({ event }) => event === 'resumed');
  expect(other.frames.filter(isMention)).toEqual([]);
  await Promise.all([after.close(), other.close()]);
});
