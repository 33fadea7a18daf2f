import { encodeTime } from 'ulid';
import {
  isUnread,
  type Notification,
  notificationKey,
  notificationRange,
  type StoredNotification,
  toNotificationResponse,
} from '../../../shared/notifications/notification.ts';
import { type UnreadCounter, unreadCounterOf } from '../../../shared/notifications/unread-counter.ts';
import { sortOf } from '../../../shared/table/cursor.ts';
import { joined, type Range } from '../../../shared/table/key.ts';
import { type MergedPage, mergedPage } from '../../../shared/table/merged-page.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';
import { minute } from '../../../shared/time.ts';

interface Paging {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface NotificationPage {
  readonly notifications: readonly Notification[];
  readonly nextCursor: string | null;
}

type Page = MergedPage<StoredNotification>;

/** One page of a user's notifications, newest first, in two round trips. `unread` leaves out those that are read, or the others. */
export async function notificationsOf(
  table: TableReader,
  userId: string,
  { unread, ...paging }: Paging & { readonly unread?: boolean | undefined },
): Promise<NotificationPage> {
  if (unread === undefined) {
    const [counter, page] = await Promise.all([
      unreadCounterOf(table, userId),
      // What is opened meanwhile moves from the first to the second.
      mergedPage(table, partitions(userId), { ...paging, consistent: true, inTurn: true }),
    ]);
    return shownPage(page, counter);
  }
  const counter = await unreadCounterOf(table, userId);
  const page = await (unread ? unreadPage : readPage)(table, userId, counter, paging);
  return shownPage(page, counter);
}

const partitions = (userId: string) => [
  notificationRange('INCOMING', userId),
  notificationRange('OPENED', userId),
];

async function unreadPage(
  table: TableReader,
  userId: string,
  counter: UnreadCounter,
  paging: Paging,
): Promise<Page> {
  const range = sinceReadAll(userId, counter);
  const { cursor } = paging;
  const isOver = cursor !== undefined && sortOf(cursor, (sort) => sort !== '') < range.between.from;
  return counter.unread === 0 || isOver
    ? { records: [], nextCursor: null }
    : mergedPage(table, [range], {
        ...paging,
        consistent: true,
        matches: (notification) => isUnread(notification, counter),
      });
}

function readPage(table: TableReader, userId: string, counter: UnreadCounter, paging: Paging): Promise<Page> {
  return mergedPage(table, partitions(userId), {
    ...paging,
    consistent: true,
    matches: (_, record) => isRead(record, counter),
  });
}

/** Ids are made when a call begins, and clocks differ: so much earlier may the id of what is stored later be. */
const leeway = minute;

/** Where the incoming notifications lie of which any can be unread. */
function sinceReadAll(userId: string, { readAllAt }: UnreadCounter) {
  const idAt = (time: number) => notificationKey('INCOMING', userId, encodeTime(time));
  const { partition, sort } = idAt(Math.max(0, readAllAt - leeway));
  const range = { partition, between: { from: joined(sort), to: joined(['NOTIFICATION', 'Z']) } };
  return range satisfies Range<StoredNotification>;
}

function isRead({ key, data }: Stored<StoredNotification>, counter: UnreadCounter): boolean {
  return key.partition.at(-1) === 'OPENED' || !isUnread(data, counter);
}

function shownPage({ records, nextCursor }: Page, counter: UnreadCounter): NotificationPage {
  return {
    notifications: records.map((record) => toNotificationResponse(record.data, isRead(record, counter))),
    nextCursor,
  };
}
