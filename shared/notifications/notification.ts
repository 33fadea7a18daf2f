import type { Key, Range } from '../table/key.ts';
import type { Timestamp } from '../time.ts';
import type { UnreadCounter } from './unread-counter.ts';

/** What one user was told of: everybody who was told of the same has it under the same id. */
export interface Notification {
  _id: string;
  userId: string;
  type: 'mention' | 'reminder';
  /** In a line. */
  title: string;
  /** The beginning of what its author wrote; a mention shows it to a user who does not see the contact, too. */
  message: string;
  contactId: string;
  /** Of a mention. */
  noteId?: string;
  /** Of a reminder. */
  reminderId?: string;
  isRead: boolean;
  createdAt: Timestamp;
}

/** A notification as stored: whether it is read follows from where it lies, and from the user's unread counter. */
export interface StoredNotification extends Omit<Notification, 'isRead'> {
  /** How often the user had marked everything as read before it came. */
  readAllEpoch: number;
}

/**
 * True for an incoming notification that the user has not marked as read together with all others. One that bears more
 * read-all epochs than the counter came after the counter was read.
 */
export function isUnread(incoming: StoredNotification, { readAllEpoch }: UnreadCounter): boolean {
  return incoming.readAllEpoch >= readAllEpoch;
}

/** The notification as answered. */
export function toNotificationResponse(
  { readAllEpoch: _, ...notification }: StoredNotification,
  isRead: boolean,
): Notification {
  return { ...notification, isRead };
}

/** Notifications are opened one by one; until then a notification lies among the incoming ones. */
export type NotificationPartition = 'INCOMING' | 'OPENED';

export const notificationKey = (
  partition: NotificationPartition,
  userId: string,
  id: string,
): Key<StoredNotification> => ({
  partition: ['NOTIFICATIONS', userId, partition],
  sort: ['NOTIFICATION', id],
});

export const notificationRange = (
  partition: NotificationPartition,
  userId: string,
): Range<StoredNotification> => ({
  partition: ['NOTIFICATIONS', userId, partition],
  under: ['NOTIFICATION'],
});
