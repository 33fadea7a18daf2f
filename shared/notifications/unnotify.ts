import type { Action, TableWriter } from '../table/table.ts';
import { isUnread, notificationKey } from './notification.ts';
import { countAction, unreadCounterOf } from './unread-counter.ts';

/** The actions that delete a notification of a user, and an unread one from the user's number. Deletes nothing the second time. */
export async function unnotifyActions(table: TableWriter, id: string, userId: string): Promise<Action[]> {
  const [incoming, counter] = await Promise.all([
    table.read(notificationKey('INCOMING', userId, id)),
    unreadCounterOf(table, userId),
  ]);
  if (incoming === undefined) {
    // Opened by itself, or deleted before.
    return [table.delete(notificationKey('OPENED', userId, id))];
  }
  return [
    table.delete(incoming.key, { ifVersion: incoming.version }),
    ...(isUnread(incoming.data, counter) ? [countAction(table, userId, counter, -1)] : []),
  ];
}
