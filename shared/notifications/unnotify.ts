import { readAll } from '../table/read-all.ts';
import type { Action, Stored, TableWriter } from '../table/table.ts';
import { isUnread, type Notified, noticeRange, notificationKey } from './notification.ts';
import { countAction, unreadCounterIn, unreadCounterKey } from './unread-counter.ts';

/** A notification of one user. */
interface OfUser {
  readonly id: string;
  readonly userId: string;
}

/**
 * The actions that delete notifications, and unread ones from the numbers of their users: one for each notification that is there, and at
 * most one for each user. The transaction fails with a version conflict if one of them reads meanwhile: then ask again.
 */
export async function unnotifyActions(table: TableWriter, some: readonly OfUser[]): Promise<Action[]> {
  const keyIn =
    (partition: 'INCOMING' | 'OPENED') =>
    ({ id, userId }: OfUser) =>
      notificationKey(partition, userId, id);
  const userIds = [...new Set(some.map(({ userId }) => userId))];
  const [incoming, counters] = await Promise.all([
    readAll(table, some.map(keyIn('INCOMING'))),
    readAll(table, userIds.map(unreadCounterKey)),
  ]);
  // Only then: one that is no longer incoming was opened by itself, or deleted before.
  const opened = await readAll(
    table,
    some.filter((_, index) => incoming[index] === undefined).map(keyIn('OPENED')),
  );
  const found = incoming.filter((one) => one !== undefined);
  const uncounted = userIds.flatMap((userId, index) => {
    const counter = unreadCounterIn(counters[index]);
    const unread = found.filter(({ data }) => data.userId === userId && isUnread(data, counter)).length;
    return unread === 0 ? [] : [countAction(table, userId, counter, -unread)];
  });
  return [
    ...found.map(({ key, version }) => table.delete(key, { ifVersion: version })),
    ...opened.flatMap((one) => (one === undefined ? [] : [table.delete(one.key)])),
    ...uncounted,
  ];
}

/** Records of who was notified that go with their cause; the others, as of a note that was edited often, go with the contact. */
const maxNotices = 5;

/**
 * The actions that delete what users were notified of because of these notes, reminders or calls of a contact, for the transaction that
 * deletes these: those of `unnotifyActions`, and up to 5 more for each cause.
 */
export async function unnotifyOfActions(
  table: TableWriter,
  contactId: string,
  causeIds: readonly string[],
): Promise<Action[]> {
  const byCause = await Promise.all(causeIds.map((causeId) => table.list(noticeRange(contactId, causeId))));
  return [
    ...(await unnotifyActions(table, byCause.flat().flatMap(notifiedIn))),
    ...byCause.flatMap((notices) => notices.slice(0, maxNotices).map(({ key }) => table.delete(key))),
  ];
}

/** The actions that delete what some of the users were notified of because of a note. */
export async function unnotifyUsersActions(
  table: TableWriter,
  { contactId, noteId, userIds }: { contactId: string; noteId: string; userIds: ReadonlySet<string> },
): Promise<Action[]> {
  const notices = userIds.size === 0 ? [] : await table.list(noticeRange(contactId, noteId));
  return unnotifyActions(
    table,
    notices.flatMap(notifiedIn).filter(({ userId }) => userIds.has(userId)),
  );
}

function notifiedIn({ key, data: { userIds } }: Stored<Notified>): OfUser[] {
  const id = key.sort.at(-1) ?? '';
  return userIds.map((userId) => ({ id, userId }));
}
