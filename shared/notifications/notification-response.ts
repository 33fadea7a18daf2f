import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../kernel/schemas/fields.ts';
import { notificationTypes } from './notification.ts';

export const notificationDescriptions = {
  _id: 'The id of the notification.',
  userId: 'The user it is for.',
  type: '`mention`: a note mentions the user. `reminder`: a reminder of the user is due. `message`: a contact has written in a conversation that the user is assigned to, or that nobody is assigned to and whose contact the user owns. `assignment`: somebody else made the user the owner or an assignee of a contact or a conversation. `lead`: a lead became, or changed, a contact of the user. `missed_call`: nobody answered a call to the number of the user. `automation`: a workflow, or somebody through `POST /api/notifications`, tells the user something about a contact; or workflows of the user keep the earlier rights of the user after a change of the role. `workflow_failed`: 20 runs of a workflow of the user have failed in a row. `import_finished`: an import of the user is done; not sent yet.',
  title: 'What happened, in one line.',
  message:
    'The beginning of what was written. For an assignment: the name of the contact, or the last message of the conversation. For a lead: its source and phone number. For a missed call: the number that called. For an automation: what it says.',
  contactId:
    'The contact it is about; the user may be unable to see it. Absent for a workflow or an import that is about no contact.',
  noteId: 'For a mention: the note.',
  reminderId: 'For a reminder: the reminder.',
  conversationId: 'For messages, and for the assignment of a conversation: the conversation.',
  messageId: 'For messages: the last of them.',
  count:
    'For messages: how many. Messages of one conversation within 5 minutes of the first are one notification, until the user reads it.',
  callId: 'For a missed call: the call.',
  workflowId: 'For a failed workflow: the workflow.',
  isRead: 'Whether the user has marked it as read.',
  createdAt: 'When it was created.',
};

export const NotificationResponse = described(
  z.object({
    _id: anyString,
    userId: anyString,
    type: z.enum(notificationTypes),
    title: anyString,
    message: anyString,
    contactId: z.optional(anyString),
    noteId: z.optional(anyString),
    reminderId: z.optional(anyString),
    conversationId: z.optional(anyString),
    messageId: z.optional(anyString),
    count: z.optional(z.int()),
    callId: z.optional(anyString),
    workflowId: z.optional(anyString),
    isRead: anyBoolean,
    createdAt: dateTime,
  }),
  notificationDescriptions,
  { id: 'Notification', description: 'A notification for a user.' },
);

export const UnreadCount = described(z.object({ count: z.int() }), {
  count: 'How many notifications are unread.',
});
