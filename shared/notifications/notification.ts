import type { Key, Range } from '../table/key.ts';
import type { Timestamp } from '../time.ts';
import type { Tally } from './unread-counter.ts';

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

/** A notification as stored: whether it is read follows from where it lies, and from the user's tally. */
export interface StoredNotification extends Omit<Notification, 'isRead'> {
  /** How often the user had marked everything as read before it came. */
  clearings: number;
}

/**
 * True for an incoming notification that the user has not marked as read together with all others. One that bears more
 * clearings than the tally came after the tally was read.
 */
export function isUnread(incoming: StoredNotification, { clearings }: Tally): boolean {
  return incoming.clearings >= clearings;
}

/** The notification as answered. */
export function shownNotification(
  { clearings: _, ...notification }: StoredNotification,
  isRead: boolean,
): Notification {
  return { ...notification, isRead };
}

/** Notifications are opened one by one; until then a notification lies among the incoming ones. */
export type NotificationTray = 'INCOMING' | 'OPENED';

export const notificationKey = (
  tray: NotificationTray,
  userId: string,
  id: string,
): Key<StoredNotification> => ({ partition: ['NOTIFICATIONS', userId, tray], sort: ['NOTIFICATION', id] });

export const notificationRange = (tray: NotificationTray, userId: string): Range<StoredNotification> => ({
  partition: ['NOTIFICATIONS', userId, tray],
  under: ['NOTIFICATION'],
});
