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
function deleteActions(table: TableWriter, { found }: FoundNotifications, clock: Clock): Action[] {
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
  return deleteActions(table, await foundOf(table, some), clock);
}

/** Records of who was notified that go with their cause; the others, as of a note that was edited often, go with the contact. */
const maxNotices = 5;

const withoutNotices = (table: TableWriter, notices: Notices): Action[] =>
  notices.slice(0, maxNotices).map(({ key }) => table.delete(key));

/**
 * The actions that delete what users were notified of because of a note or a reminder, for the transaction that deletes it: those of
 * `unnotifyActions`, and up to 5 more.
 */
export async function unnotifyOfActions(
  table: TableWriter,
  notices: Notices,
  clock: Clock,
): Promise<Action[]> {
  return [
    ...(await unnotifyActions(table, notices.flatMap(notifiedIn), clock)),
    ...withoutNotices(table, notices),
  ];
}

/** Notifications for which a transaction has room beside most deletions. */
const atOnce = 20;

/** Reads notifications for `commitUnnotifying`, while it is not sure yet that these are all. */
export function foundEarly(table: TableReader, notices: Notices): Promise<FoundNotifications> {
  return foundOf(table, notices.flatMap(notifiedIn).slice(0, atOnce));
}

/**
 * Commits the actions that delete something, because of which users may have been notified any number of times, with those that delete
 * these notifications. What one transaction has no room for goes first.
 * @param early what was read of them before; it counts if these are all.
 */
export async function commitUnnotifying(
  table: TableWriter,
  actions: readonly Action[],
  notices: Notices,
  early: FoundNotifications,
  clock: Clock,
): Promise<void> {
  const [last = [], ...rest] = chunks(notices.flatMap(notifiedIn), atOnce).reverse();
  for (const some of rest) {
    await table.commit(await unnotifyActions(table, some, clock));
  }
  const found = isSame(last, early.asked) ? early : await foundOf(table, last);
  const unnotifying = [...deleteActions(table, found, clock), ...withoutNotices(table, notices)];
  if (actions.length + unnotifying.length > transactionLimit) {
    await table.commit(unnotifying);
    await table.commit(actions);
  } else {
    await table.commit([...actions, ...unnotifying]);
  }
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
