import { contactIdIn } from '../kernel/child-id.ts';
import { unusedId } from '../kernel/identifier.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import type { UnreadCounter } from './unread-counter.ts';

/** The types of notifications. Source of the preference for each: `kindOf`. */
export const notificationTypes = [
  'mention',
  'reminder',
  'message',
  'assignment',
  'lead',
  'missed_call',
  'automation',
  'workflow_failed',
  'import_finished',
  'api_key_expiring',
  'webhook_endpoint_disabled',
] as const;
export type NotificationType = (typeof notificationTypes)[number];

/** A notification of one user. Notifications of several users about the same event have the same id. */
export interface Notification {
  _id: string;
  userId: string;
  type: NotificationType;
  /** On one line. */
  title: string;
  /** The beginning of what its author wrote. A mention shows it even to a user who may not see the contact. */
  message: string;
  /** Absent for what is about no contact. */
  contactId?: string;
  /** For a mention. */
  noteId?: string;
  /** For a reminder. */
  reminderId?: string;
  /** For messages, and for the assignment of a conversation. */
  conversationId?: string;
  /** For messages: the last of them. */
  messageId?: string;
  /** For messages, and for the contacts that a job assigned: how many. */
  count?: number;
  /** For a missed call. */
  callId?: string;
  /** For a workflow that failed. */
  workflowId?: string;
  isRead: boolean;
  createdAt: Timestamp;
}

/** A stored notification. Whether it is read follows from its partition and from the user's unread counter. */
export interface StoredNotification extends Omit<Notification, 'isRead'> {
  /** How often the user had marked everything as read before. */
  readAllEpoch: number;
}

/**
 * Whether an incoming notification came after the user last marked everything as read. One with a higher epoch than the counter
 * came after the counter was read.
 */
export function isUnread(incoming: StoredNotification, { readAllEpoch }: UnreadCounter): boolean {
  return incoming.readAllEpoch >= readAllEpoch;
}

/** The notification for a response of its user. */
export function toNotificationResponse(
  { readAllEpoch: _, ...notification }: StoredNotification,
  isRead: boolean,
): Notification {
  return { ...notification, isRead };
}

/** The content of a stored notification. */
export function notificationContent({ readAllEpoch: _, userId: __, ...content }: StoredNotification) {
  return content;
}

/** A notification is incoming until the user opens it by itself. */
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

/** The contact in whose partition a cause is: a record of it, or the contact itself. */
function homeOfCause(causeId: string): string {
  const contactId = contactIdIn(causeId);
  return contactId === unusedId ? causeId : contactId;
}

/** The users whom one cause has notified about a contact: their notifications are deleted with the cause, or with the contact. */
export const notifiedKey = (causeId: string, id: string): Key<Notified> => ({
  partition: ['CONTACT', homeOfCause(causeId)],
  sort: ['NOTIFIED', causeId, id],
});

/** The records of whom anything about a contact has notified. */
export const contactNotifiedRange = (contactId: string): Range<Notified> => ({
  partition: ['CONTACT', contactId],
  under: ['NOTIFIED'],
});

/** All records of whom one cause has notified. */
export const causeNotifiedRange = (causeId: string): Range<Notified> => ({
  partition: ['CONTACT', homeOfCause(causeId)],
  under: ['NOTIFIED', causeId],
});

/** The users who were notified that runs of a workflow have failed: their notifications are deleted with the workflow. */
export const workflowNotifiedKey = (workflowId: string, id: string): Key<Notified> => ({
  partition: ['WORKFLOW', workflowId],
  sort: ['NOTIFIED', id],
});

export const workflowNotifiedRange = (workflowId: string): Range<Notified> => ({
  partition: ['WORKFLOW', workflowId],
  under: ['NOTIFIED'],
});

/**
 * The record without which a notification about a contact would not be there: a note, a reminder, a missed call, a conversation, or the
 * contact itself.
 */
export function notificationCauseId({
  contactId,
  noteId,
  reminderId,
  callId,
  conversationId,
}: Pick<Notification, 'noteId' | 'reminderId' | 'callId' | 'conversationId'> & {
  readonly contactId: string;
}): string {
  return noteId ?? reminderId ?? callId ?? conversationId ?? contactId;
}

/** Who has a notification. */
export interface Notified {
  userIds: string[];
}
