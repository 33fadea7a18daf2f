import { encodeTime } from 'ulid';
import type { Paging } from '../../../shared/kernel/schemas/paging.ts';
import { minute } from '../../../shared/kernel/time.ts';
import {
  isUnread,
  type Notification,
  notificationKey,
  notificationRange,
  type StoredNotification,
  toNotificationResponse,
} from '../../../shared/notifications/notification.ts';
import { readUnreadCounter, type UnreadCounter } from '../../../shared/notifications/unread-counter.ts';
import { sortInCursor } from '../../../shared/table/cursor.ts';
import { joined, type Range } from '../../../shared/table/key.ts';
import { type MergedPage, readMergedPage } from '../../../shared/table/merged-page.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';

export interface NotificationPage {
  readonly notifications: readonly Notification[];
  readonly nextCursor: string | null;
}

type Page = MergedPage<StoredNotification>;

/** One page of a user's notifications, newest first, in two round trips. `unread` selects the unread or the read ones. */
export async function readNotificationPage(
  table: TableReader,
  userId: string,
  { unread, ...paging }: Paging & { readonly unread?: boolean | undefined },
): Promise<NotificationPage> {
  if (unread === undefined) {
    const [counter, page] = await Promise.all([
      readUnreadCounter(table, userId),
      // Notifications opened meanwhile move from the first range to the second.
      readMergedPage(table, partitions(userId), { ...paging, consistent: true, inTurn: true }),
    ]);
    return toPage(page, counter);
  }
  const counter = await readUnreadCounter(table, userId);
  const page = await (unread ? unreadPage : readPage)(table, userId, counter, paging);
  return toPage(page, counter);
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
  const isOver = cursor !== undefined && sortInCursor(cursor, (sort) => sort !== '') < range.between.from;
  return counter.unread === 0 || isOver
    ? { records: [], nextCursor: null }
    : readMergedPage(table, [range], {
        ...paging,
        consistent: true,
        matches: (notification) => isUnread(notification, counter),
      });
}

function readPage(table: TableReader, userId: string, counter: UnreadCounter, paging: Paging): Promise<Page> {
  return readMergedPage(table, partitions(userId), {
    ...paging,
    consistent: true,
    matches: (_, record) => isRead(record, counter),
  });
}

/** How much older than its notification an id may be: it is created when an invocation begins, and clocks differ. */
const leeway = minute;

/** The range of incoming notifications that may be unread. */
function sinceReadAll(userId: string, { readAllAt }: UnreadCounter) {
  const idAt = (time: number) => notificationKey('INCOMING', userId, encodeTime(time));
  const { partition, sort } = idAt(Math.max(0, readAllAt - leeway));
  const range = { partition, between: { from: joined(sort), to: joined(['NOTIFICATION', 'Z']) } };
  return range satisfies Range<StoredNotification>;
}

function isRead({ key, data }: Stored<StoredNotification>, counter: UnreadCounter): boolean {
  return key.partition.at(-1) === 'OPENED' || !isUnread(data, counter);
}

function toPage({ records, nextCursor }: Page, counter: UnreadCounter): NotificationPage {
  return {
    notifications: records.map((record) => toNotificationResponse(record.data, isRead(record, counter))),
    nextCursor,
  };
}
