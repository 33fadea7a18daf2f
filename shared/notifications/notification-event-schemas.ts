import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString } from '../kernel/schemas/fields.ts';
import { NotificationResponse, notificationDescriptions } from './notification-response.ts';

const { userId: _, ...descriptions } = notificationDescriptions;
const { userId: __, ...content } = NotificationResponse.shape;

const { contactId, noteId, reminderId, conversationId, messageId, callId, workflowId } = content;
const fields = {
  notificationId: anyString,
  ...{ contactId, noteId, reminderId, conversationId, messageId, callId, workflowId },
  notification: described(z.object(content), descriptions),
};
const fieldDescriptions = {
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
  notification_created: described(z.object(fields), fieldDescriptions, {
    description: 'This user got a notification. The number of unread ones is one more.',
  }),
  notification_updated: described(z.object(fields), fieldDescriptions, {
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
