import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString } from '../kernel/schemas/fields.ts';
import { NotificationResponse, notificationDescriptions } from './notification-response.ts';

const { userId: _, ...descriptions } = notificationDescriptions;
const { userId: __, ...notice } = NotificationResponse.shape;

const { contactId, noteId, reminderId, conversationId, messageId, callId, workflowId } = notice;
const told = {
  notificationId: anyString,
  ...{ contactId, noteId, reminderId, conversationId, messageId, callId, workflowId },
  notification: described(z.object(notice), descriptions),
};
const toldDescriptions = {
  notificationId: 'The notification.',
  contactId: descriptions.contactId,
  noteId: descriptions.noteId,
  reminderId: descriptions.reminderId,
  conversationId: descriptions.conversationId,
  messageId: descriptions.messageId,
  callId: descriptions.callId,
  workflowId: descriptions.workflowId,
  notification: 'The notification of this user.',
};

/** The data of the events about notifications. */
export const notificationEventSchemas = {
  notification_created: described(z.object(told), toldDescriptions, {
    description: 'This user got a notification. The number of unread ones is one more.',
  }),
  notification_updated: described(z.object(told), toldDescriptions, {
    description:
      'An unread notification of messages counts one more. The number of unread notifications is the same.',
  }),
  notification_deleted: described(
    z.object({ notificationId: anyString, isRead: anyBoolean }),
    {
      notificationId: 'The notification.',
      isRead: 'Whether this user had read it. If not, the number of unread ones is one less.',
    },
    {
      description:
        'A notification of this user is gone, because what caused it is: a note or its mention, a reminder, a missed call, a conversation, a workflow, or the contact.',
    },
  ),
};
