import { readAll } from '../table/read-all.ts';
import type { Action, Stored, TableWriter } from '../table/table.ts';
import {
  isUnread,
  type Notified,
  noticeRange,
  notificationKey,
  type StoredNotification,
} from './notification.ts';
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
  const incoming = await readAll(table, some.map(keyIn('INCOMING')));
  const found = incoming.filter((one) => one !== undefined);
  const [opened, unread] = await Promise.all([
    // Only then: one that is no longer incoming was opened by itself, or deleted before.
    readAll(table, some.filter((_, index) => incoming[index] === undefined).map(keyIn('OPENED'))),
    uncountActions(table, found),
  ]);
  return [
    ...found.map(({ key, version }) => table.delete(key, { ifVersion: version })),
    ...opened.flatMap((one) => (one === undefined ? [] : [table.delete(one.key)])),
    ...unread,
  ];
}

/** The actions that take those of these notifications that are unread from the numbers of their users. */
async function uncountActions(
  table: TableWriter,
  incoming: readonly Stored<StoredNotification>[],
): Promise<Action[]> {
  const byUser = [...Map.groupBy(incoming, ({ data }) => data.userId)];
  const counters = await readAll(
    table,
    byUser.map(([userId]) => unreadCounterKey(userId)),
  );
  return byUser.flatMap(([userId, own], index) => {
    const counter = unreadCounterIn(counters[index]);
    const unread = own.filter(({ data }) => isUnread(data, counter)).length;
    return unread === 0 ? [] : [countAction(table, userId, counter, -unread)];
  });
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
