import type { StoredApplication } from '../applications/application.ts';
import type { Call, CallRecord } from '../calls/call.ts';
import type { ApplicationCard, Card } from '../contacts/card.ts';
import type { StoredContact } from '../contacts/contact.ts';
import type { Conversation, InboxEntry, Message } from '../conversations/conversation.ts';
import type { SocketConnection, StoredEvent } from '../live/event.ts';
import type { Listing } from '../marketplace/listing.ts';
import type { QueuedMessage, ReceivedIds } from '../messages/records.ts';
import type { StoredNote } from '../notes/note.ts';
import type { StoredNotification } from '../notifications/notification.ts';
import type { BusinessHours } from '../organizations/business-hours.ts';
import type { MissedCallMessage } from '../organizations/missed-call-message.ts';
import type { Department, Organization } from '../organizations/organization.ts';
import type { UserNumbers } from '../organizations/phone-assignment.ts';
import type { User } from '../organizations/user.ts';
import type { StoredConfiguration } from '../outreach/configuration.ts';
import type { CachedMetrics, MetricsGeneration } from '../outreach/metrics-cache.ts';
import type { Pipelines } from '../pipelines/pipeline.ts';
import type { Reminder } from '../reminders/reminder.ts';
import type { StoredTemplate } from '../templates/template.ts';
import type { TrainingSnapshot } from '../training/snapshot.ts';
import type { DocumentRow, WorkflowHeader } from '../workflows/workflow.ts';
import type { Key } from './key.ts';

/** Contacts are filed under every view that shows them: all, those of one user, those of nobody. */
export type View = readonly ['all'] | readonly ['user', string] | readonly ['unassigned'];

/** Conversations are filed under everybody's and under each person's who may see them. */
export type InboxView = Exclude<View, readonly ['unassigned']>;

/** Calls are filed under everybody's and under their own user's. */
export type CallView = InboxView;

/** Templates of the organization, or of one user. */
export type TemplateShelf = readonly ['shared'] | readonly ['user', string];

/** Notifications are opened one by one; until then a notification lies among the incoming ones. */
export type NotificationTray = 'INCOMING' | 'OPENED';

/** Workflows are filed under everybody's and under their owner's. */
export type WorkflowView = InboxView;

/** `2026-11` of `2026-11-20`: a month of counters lies together, so that a year is a dozen queries at once. */
export const monthOf = (day: string) => day.slice(0, 7);

/** What tells where a reminder lies in the list of who made it. */
type ReminderPlace = Pick<Reminder, 'createdBy' | 'remindAt' | '_id'>;

/** Every key of an organization's partitions. The port puts the organization in front. */
export const keys = {
  organization: (): Key<Organization> => ({ partition: [], sort: ['ORGANIZATION'] }),
  user: (id: string): Key<User> => ({ partition: [], sort: ['USER', id] }),
  department: (id: string): Key<Department> => ({ partition: [], sort: ['DEPARTMENT', id] }),
  /** The lock that makes a department's name unique within the organization. */
  departmentName: (digest: string): Key<{ departmentId: string }> => ({
    partition: [],
    sort: ['DEPARTMENT_NAME', digest],
  }),
  /** Apart from the organization's record, which every login reads: they may be large. */
  businessHours: (): Key<BusinessHours> => ({ partition: [], sort: ['BUSINESS_HOURS'] }),
  missedCallMessage: (): Key<MissedCallMessage> => ({ partition: [], sort: ['MISSED_CALL_MESSAGE'] }),
  userNumbers: (userId: string): Key<UserNumbers> => ({ partition: [], sort: ['NUMBERS', userId] }),
  /** All pipelines in one record: names and the active ones are unique by its version alone. */
  pipelines: (): Key<Pipelines> => ({ partition: [], sort: ['PIPELINES'] }),

  contact: (id: string): Key<StoredContact> => ({ partition: ['CONTACT', id], sort: ['CONTACT'] }),
  note: (contactId: string, id: string): Key<StoredNote> => ({
    partition: ['CONTACT', contactId],
    sort: ['NOTE', id],
  }),
  conversation: (contactId: string, id: string): Key<Conversation> => ({
    partition: ['CONTACT', contactId],
    sort: ['CONVERSATION', id],
  }),
  message: (contactId: string, conversationId: string, id: string): Key<Message> => ({
    partition: ['CONTACT', contactId],
    sort: ['MESSAGE', conversationId, id],
  }),
  /** A message that waits to be sent, beside its contact: with the contact it goes away. */
  queuedMessage: (contactId: string, messageId: string): Key<QueuedMessage> => ({
    partition: ['CONTACT', contactId],
    sort: ['OUTGOING', messageId],
  }),
  /** The lock that makes a received message one however often its provider tells of it; see `messages/receiving.ts`. */
  receivedMessage: (digest: string): Key<ReceivedIds> => ({
    partition: ['RECEIVED', digest],
    sort: ['RECEIVED'],
  }),
  application: (contactId: string, id: string): Key<StoredApplication> => ({
    partition: ['CONTACT', contactId],
    sort: ['APPLICATION', id],
  }),
  reminder: (contactId: string, id: string): Key<Reminder> => ({
    partition: ['CONTACT', contactId],
    sort: ['REMINDER', id],
  }),
  /** In the list of who made it, by the time it is for. */
  reminderEntry: ({ createdBy, remindAt, _id }: ReminderPlace): Key<Reminder> => ({
    partition: ['REMINDERS', createdBy],
    sort: [remindAt, _id],
  }),
  trainingSnapshot: (contactId: string, id: string): Key<TrainingSnapshot> => ({
    partition: ['CONTACT', contactId],
    sort: ['SNAPSHOT', id],
  }),
  /** In the list of who made it; what it shows lies with the contact. */
  trainingSnapshotEntry: (createdBy: string, id: string): Key<Record<string, never>> => ({
    partition: ['SNAPSHOTS', createdBy],
    sort: ['SNAPSHOT', id],
  }),
  /** The lock that makes a phone number unique within the organization. */
  phone: (value: string): Key<{ contactId: string }> => ({ partition: ['PHONE'], sort: [value] }),

  boardEntry: (stageId: string, view: View, contact: { createdAt: string; _id: string }): Key<Card> => ({
    partition: ['BOARD', stageId, ...view],
    sort: [contact.createdAt, contact._id],
  }),
  /** An application on the board of its pipeline, among those of everybody. */
  applicationEntry: (application: StoredApplication): Key<ApplicationCard> => ({
    partition: ['BOARD', application.stageId, 'all'],
    sort: [application.createdAt, application._id],
  }),
  /** Sorts after every entry of its partition, so that one descending query reads the counters and the first page. */
  boardCounter: (stageId: string, view: View, shard: number): Key<never> => ({
    partition: ['BOARD', stageId, ...view],
    sort: ['COUNT', String(shard)],
  }),

  /** A conversation in the list of those who may see it, by its last message. */
  inboxEntry: (view: InboxView, { _id, lastMessageAt, createdAt }: Conversation): Key<InboxEntry> => ({
    partition: ['INBOX', ...view],
    sort: [lastMessageAt ?? createdAt, _id],
  }),

  /** A call, or what tells that it was discarded. It outlives its contact. */
  call: (id: string): Key<CallRecord> => ({ partition: ['CALL', id], sort: ['CALL'] }),
  /** A call in the list of everybody or of its user. */
  callEntry: (view: CallView, id: string): Key<Call> => ({ partition: ['CALLS', ...view], sort: [id] }),
  /** A call in the history of its contact. */
  contactCall: (contactId: string, id: string): Key<Call> => ({
    partition: ['CONTACT', contactId],
    sort: ['VOICECALL', id],
  }),

  template: (shelf: TemplateShelf, id: string): Key<StoredTemplate> => ({
    partition: ['TEMPLATES', ...shelf],
    sort: ['TEMPLATE', id],
  }),
  /** How many bytes the templates on a shelf have. */
  templateWeight: (shelf: TemplateShelf): Key<never> => ({
    partition: ['TEMPLATES', ...shelf],
    sort: ['WEIGHT'],
  }),

  listing: (id: string): Key<Listing> => ({ partition: ['MARKETPLACE'], sort: ['LISTING', id] }),

  /** The record itself lies among those of `all`. */
  workflow: (id: string, view: WorkflowView = ['all']): Key<WorkflowHeader> => ({
    partition: ['WORKFLOWS', ...view],
    sort: [id],
  }),
  /** Apart from the others: it may be a thousand times as large as a header. */
  workflowDocument: (id: string): Key<DocumentRow> => ({ partition: ['WORKFLOW', id], sort: ['DOCUMENT'] }),
  /** The lock that makes a name unique within the organization. */
  workflowName: (digest: string): Key<{ workflowId: string }> => ({
    partition: ['WORKFLOWS', 'NAMES'],
    sort: [digest],
  }),

  notification: (tray: NotificationTray, userId: string, id: string): Key<StoredNotification> => ({
    partition: ['NOTIFICATIONS', userId, tray],
    sort: ['NOTIFICATION', id],
  }),
  /** How many of a user's notifications are unread. */
  notificationTally: (userId: string): Key<never> => ({
    partition: ['NOTIFICATIONS', userId],
    sort: ['TALLY'],
  }),
  notificationPreferences: (userId: string): Key<never> => ({
    partition: ['NOTIFICATIONS', userId],
    sort: ['PREFERENCES'],
  }),

  outreachConfiguration: (id: string): Key<StoredConfiguration> => ({
    partition: ['OUTREACH'],
    sort: ['CONFIGURATION', id],
  }),
  /** Counts leads of one day, a configuration, an owner and a source. */
  leadCounter: (day: string, of: readonly [string, ...string[]]): Key<never> => ({
    partition: ['LEADS', monthOf(day)],
    sort: [day, ...of],
  }),
  /** What makes all that is cached for a user stale at once. */
  metricsGeneration: (userId: string): Key<MetricsGeneration> => ({
    partition: ['METRICS', userId],
    sort: ['GENERATION'],
  }),
  metricsVariant: (userId: string, digest: string): Key<CachedMetrics> => ({
    partition: ['METRICS', userId],
    sort: ['VARIANT', digest],
  }),

  event: (hour: string, id: string): Key<StoredEvent> => ({
    partition: ['EVENTS', hour],
    sort: ['EVENT', id],
  }),
  connection: (id: string): Key<SocketConnection> => ({
    partition: ['CONNECTIONS'],
    sort: ['CONNECTION', id],
  }),
} as const;
