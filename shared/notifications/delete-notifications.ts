import { eventAction } from '../events/outbox.ts';
import { chunks } from '../kernel/chunks.ts';
import type { ClockAndIds } from '../kernel/operation.ts';
import { readAll } from '../table/read-all.ts';
import {
  type Action,
  type Stored,
  type TableReader,
  type TableWriter,
  transactionLimit,
} from '../table/table.ts';
import {
  causeNotifiedRange,
  isUnread,
  type NotificationPartition,
  type Notified,
  notificationKey,
  type StoredNotification,
} from './notification.ts';
import { countAction, type UnreadCounter, unreadCounterIn, unreadCounterKey } from './unread-counter.ts';

type Clock = Pick<ClockAndIds, 'now' | 'newId'>;

/** Records of the users whom some causes have notified. */
export type NotifiedRecords = readonly Stored<Notified>[];

/** Reads whom a note, a reminder, a call or a conversation of a contact has notified. */
export function readNotifiedBy(table: TableReader, causeId: string): Promise<NotifiedRecords> {
  return table.list(causeNotifiedRange(causeId));
}

/** Names a notification of one user. */
interface UserNotification {
  readonly id: string;
  readonly userId: string;
}

/** A notification as it was read, and its user's number of unread ones. */
interface Found {
  readonly stored: Stored<StoredNotification>;
  readonly isRead: boolean;
  readonly counter: UnreadCounter;
}

/** The notifications that were asked for, and those of them that exist. */
export interface FoundNotifications {
  readonly asked: readonly UserNotification[];
  readonly found: readonly Found[];
}

export const nothingPrefetched: FoundNotifications = { asked: [], found: [] };

/** Reads notifications that are to be deleted, in one round trip unless one is gone. */
async function findAll(table: TableReader, asked: readonly UserNotification[]): Promise<FoundNotifications> {
  const readIn = (partition: NotificationPartition, some: readonly UserNotification[]) =>
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
function deletingActions(table: TableWriter, found: readonly Found[], { now, newId }: Clock): Action[] {
  const unreadByUser = Map.groupBy(
    found.filter(({ isRead }) => !isRead),
    ({ stored }) => stored.data.userId,
  );
  // One event tells all users who had, or had not, read the same notification.
  const byEvent = Map.groupBy(found, ({ stored, isRead }) => `${stored.data._id} ${isRead}`);
  return [
    ...found.map(({ stored: { key, version } }) => table.delete(key, { ifVersion: version })),
    ...[...unreadByUser].flatMap(([userId, notifications]) =>
      notifications
        .slice(0, 1)
        .map(({ counter }) => countAction(table, userId, counter, -notifications.length)),
    ),
    ...[...byEvent.values()].flatMap((same) =>
      same.slice(0, 1).map(({ stored: { data }, isRead }) => {
        const userIds = same.map((entry) => entry.stored.data.userId);
        return eventAction(
          table,
          {
            event: 'notification_deleted',
            data: { notificationId: data._id, isRead },
            audience: { kind: 'users', userIds },
          },
          newId(),
          now,
        );
      }),
    ),
  ];
}

/** The actions that delete these notifications: see `deletingActions`. */
export async function deleteNotificationActions(
  table: TableWriter,
  notifications: readonly UserNotification[],
  clock: Clock,
): Promise<Action[]> {
  const { found } = await findAll(table, notifications);
  return deletingActions(table, found, clock);
}

/** The actions that delete what some of the users were notified of. */
export function prepareNotificationDeletions(
  table: TableWriter,
  records: NotifiedRecords,
  userIds: ReadonlySet<string>,
  clock: Clock,
): Promise<Action[]> {
  const some = records.flatMap(notificationsIn).filter(({ userId }) => userIds.has(userId));
  return deleteNotificationActions(table, some, clock);
}

/** Notifications that are prefetched: as many as one note can have caused. */
const maxPrefetched = 40;

/** Reads notifications for `commitDeletion` before it is certain that these are all. */
export function prefetchNotifications(
  table: TableReader,
  records: NotifiedRecords,
): Promise<FoundNotifications> {
  return findAll(table, records.flatMap(notificationsIn).slice(0, maxPrefetched));
}

/** Records that are deleted with their cause; the others, as of a note that was edited often, go with the contact. */
const maxRecords = 5;

/** Notifications for which one transaction has room: each takes up to three actions. */
const atOnce = 30;

/**
 * Commits the actions that delete the cause of notifications, of any number of users, together with the actions that delete these
 * notifications: in one transaction, so that they stay if it fails. If it has no room for all of them, they go first.
 * @param prefetched what was read of them before; it counts if these are all.
 */
export async function commitDeletion(
  table: TableWriter,
  actions: readonly Action[],
  records: NotifiedRecords,
  prefetched: FoundNotifications,
  clock: Clock,
): Promise<void> {
  const asked = records.flatMap(notificationsIn);
  const { found } = isSame(asked, prefetched.asked) ? prefetched : await findAll(table, asked);
  const deleteRecords = records.slice(0, maxRecords).map(({ key }) => table.delete(key));
  const all = [...actions, ...deletingActions(table, found, clock), ...deleteRecords];
  if (all.length <= transactionLimit) {
    await table.commit(all);
    return;
  }
  for (const some of chunks(found, atOnce)) {
    await table.commit(deletingActions(table, some, clock), { isAhead: true });
  }
  await table.commit(deleteRecords, { isAhead: true });
  await table.commit(actions);
}

function isSame(some: readonly UserNotification[], others: readonly UserNotification[]): boolean {
  const texts = (all: readonly UserNotification[]) =>
    all
      .map(({ id, userId }) => `${id} ${userId}`)
      .sort()
      .join();
  return texts(some) === texts(others);
}

function notificationsIn({ key, data: { userIds } }: Stored<Notified>): UserNotification[] {
  const id = key.sort.at(-1) ?? '';
  return userIds.map((userId) => ({ id, userId }));
}
