import { chunks } from '../kernel/chunks.ts';
import type { ClockAndIds } from '../kernel/operation.ts';
import { eventAction } from '../live/outbox.ts';
import { readAll } from '../table/read-all.ts';
import {
  type Action,
  type Stored,
  type TableReader,
  type TableWriter,
  transactionLimit,
} from '../table/table.ts';
import {
  isUnread,
  type NotificationPartition,
  type Notified,
  noticeRange,
  notificationKey,
  type StoredNotification,
} from './notification.ts';
import { countAction, type UnreadCounter, unreadCounterIn, unreadCounterKey } from './unread-counter.ts';

type Clock = Pick<ClockAndIds, 'now' | 'newId'>;

/** Whom some causes have notified. */
export type Notices = readonly Stored<Notified>[];

/** Whom a note, a reminder, a call or a conversation of a contact has notified. */
export function noticesOf(table: TableReader, contactId: string, causeId: string): Promise<Notices> {
  return table.list(noticeRange(contactId, causeId));
}

/** A notification of one user. */
interface OfUser {
  readonly id: string;
  readonly userId: string;
}

/** A notification as it was read, and its user's number of unread ones. */
interface Found {
  readonly stored: Stored<StoredNotification>;
  readonly isRead: boolean;
  readonly counter: UnreadCounter;
}

/** Those of some notifications that are there. */
export interface FoundNotifications {
  readonly asked: readonly OfUser[];
  readonly found: readonly Found[];
}

export const noneFound: FoundNotifications = { asked: [], found: [] };

/** Reads notifications that are to be deleted, in one round trip unless one is gone. */
async function foundOf(table: TableReader, asked: readonly OfUser[]): Promise<FoundNotifications> {
  const readIn = (partition: NotificationPartition, some: readonly OfUser[]) =>
    readAll(
      table,
      some.map(({ id, userId }) => notificationKey(partition, userId, id)),
    );
  const userIds = [...new Set(asked.map(({ userId }) => userId))];
  const [incoming, opened, counters] = await Promise.all([
    readIn('INCOMING', asked),
    readIn('OPENED', asked),
    readAll(table, userIds.map(unreadCounterKey)),
  ]);
  // One that is in neither was opened in between, or deleted before.
  const moved = await readIn(
    'OPENED',
    asked.filter((_, index) => incoming[index] === undefined && opened[index] === undefined),
  );
  const counterOf = new Map(userIds.map((userId, index) => [userId, unreadCounterIn(counters[index])]));
  const found = [
    ...incoming.map((stored) => ({ stored, isOpened: false })),
    ...opened
      .filter((_, index) => incoming[index] === undefined)
      .map((stored) => ({ stored, isOpened: true })),
    ...moved.map((stored) => ({ stored, isOpened: true })),
  ].flatMap(({ stored, isOpened }) => {
    const counter = stored && counterOf.get(stored.data.userId);
    return counter ? [{ stored, counter, isRead: isOpened || !isUnread(stored.data, counter) }] : [];
  });
  return { asked, found };
}

/**
 * The actions that delete notifications, take unread ones from the numbers of their users, and tell them: at most three for each. The
 * transaction fails with a version conflict if one of them reads meanwhile: then ask again.
 */
function deleteActions(table: TableWriter, found: readonly Found[], clock: Clock): Action[] {
  const unread = Map.groupBy(
    found.filter(({ isRead }) => !isRead),
    ({ stored }) => stored.data.userId,
  );
  const told = Map.groupBy(found, ({ stored, isRead }) => `${stored.data._id} ${isRead}`);
  return [
    ...found.map(({ stored: { key, version } }) => table.delete(key, { ifVersion: version })),
    ...[...unread].flatMap(([userId, own]) =>
      own.slice(0, 1).map(({ counter }) => countAction(table, userId, counter, -own.length)),
    ),
    ...[...told.values()].flatMap((same) =>
      same.slice(0, 1).map(({ stored: { data }, isRead }) => {
        const userIds = same.map((one) => one.stored.data.userId);
        return eventAction(
          table,
          {
            event: 'notification_deleted',
            data: { notificationId: data._id, isRead },
            audience: { kind: 'users', userIds },
          },
          clock.newId(),
          clock.now,
        );
      }),
    ),
  ];
}

/** The actions that delete these notifications: see `deleteActions`. */
export async function unnotifyActions(
  table: TableWriter,
  some: readonly OfUser[],
  clock: Clock,
): Promise<Action[]> {
  const { found } = await foundOf(table, some);
  return deleteActions(table, found, clock);
}

/** Records of who was notified that go with their cause; the others, as of a note that was edited often, go with the contact. */
const maxNotices = 5;

const withoutNotices = (table: TableWriter, notices: Notices): Action[] =>
  notices.slice(0, maxNotices).map(({ key }) => table.delete(key));

/** Notifications that are read early: as many as one note can have caused. */
const maxEarly = 40;

/** Reads notifications for `commitUnnotifying`, while it is not sure yet that these are all. */
export function foundEarly(table: TableReader, notices: Notices): Promise<FoundNotifications> {
  return foundOf(table, notices.flatMap(notifiedIn).slice(0, maxEarly));
}

/** Notifications for which one transaction has room: each takes up to three actions. */
const atOnce = 30;

/**
 * Commits the actions that delete something, because of which users may have been notified any number of times, with those that delete
 * these notifications: in one transaction, so that they stay if it fails. If it has no room for all of them, they go first.
 * @param early what was read of them before; it counts if these are all.
 */
export async function commitUnnotifying(
  table: TableWriter,
  actions: readonly Action[],
  notices: Notices,
  early: FoundNotifications,
  clock: Clock,
): Promise<void> {
  const asked = notices.flatMap(notifiedIn);
  const { found } = isSame(asked, early.asked) ? early : await foundOf(table, asked);
  const all = [...actions, ...deleteActions(table, found, clock), ...withoutNotices(table, notices)];
  if (all.length <= transactionLimit) {
    await table.commit(all);
    return;
  }
  for (const some of chunks(found, atOnce)) {
    await table.commit(deleteActions(table, some, clock));
  }
  await table.commit(withoutNotices(table, notices));
  await table.commit(actions);
}

function isSame(some: readonly OfUser[], others: readonly OfUser[]): boolean {
  const texts = (all: readonly OfUser[]) =>
    all
      .map(({ id, userId }) => `${id} ${userId}`)
      .sort()
      .join();
  return texts(some) === texts(others);
}

/** The actions that delete what some of the users were notified of. */
export function unnotifyUsersActions(
  table: TableWriter,
  notices: Notices,
  userIds: ReadonlySet<string>,
  clock: Clock,
): Promise<Action[]> {
  const some = notices.flatMap(notifiedIn).filter(({ userId }) => userIds.has(userId));
  return unnotifyActions(table, some, clock);
}

function notifiedIn({ key, data: { userIds } }: Stored<Notified>): OfUser[] {
  const id = key.sort.at(-1) ?? '';
  return userIds.map((userId) => ({ id, userId }));
}
