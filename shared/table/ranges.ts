import type { StoredApplication } from '../applications/application.ts';
import type { Call } from '../calls/call.ts';
import type { Card } from '../contacts/card.ts';
import type { Conversation, InboxEntry, Message } from '../conversations/conversation.ts';
import type { SocketConnection } from '../live/event.ts';
import type { Listing } from '../marketplace/listing.ts';
import type { StoredNote } from '../notes/note.ts';
import type { StoredNotification } from '../notifications/notification.ts';
import type { Department } from '../organizations/organization.ts';
import type { UserNumbers } from '../organizations/phone-assignment.ts';
import type { User } from '../organizations/user.ts';
import type { StoredConfiguration } from '../outreach/configuration.ts';
import type { Reminder } from '../reminders/reminder.ts';
import type { StoredTemplate } from '../templates/template.ts';
import type { TrainingSnapshot } from '../training/snapshot.ts';
import type { WorkflowHeader } from '../workflows/workflow.ts';
import type { Range } from './key.ts';
import {
  type CallView,
  type InboxView,
  monthOf,
  type NotificationTray,
  type TemplateShelf,
  type View,
  type WorkflowView,
} from './keys.ts';

/** Ranges of an organization's partitions. */
export const ranges = {
  users: (): Range<User> => ({ partition: [], under: ['USER'] }),
  departments: (): Range<Department> => ({ partition: [], under: ['DEPARTMENT'] }),
  userNumbers: (): Range<UserNumbers> => ({ partition: [], under: ['NUMBERS'] }),
  /** A contact and all it owns. */
  contact: (id: string): Range<unknown> => ({ partition: ['CONTACT', id] }),
  notes: (contactId: string): Range<StoredNote> => ({ partition: ['CONTACT', contactId], under: ['NOTE'] }),
  conversations: (contactId: string): Range<Conversation> => ({
    partition: ['CONTACT', contactId],
    under: ['CONVERSATION'],
  }),
  messages: (contactId: string, conversationId: string): Range<Message> => ({
    partition: ['CONTACT', contactId],
    under: ['MESSAGE', conversationId],
  }),
  applications: (contactId: string): Range<StoredApplication> => ({
    partition: ['CONTACT', contactId],
    under: ['APPLICATION'],
  }),
  reminders: (contactId: string): Range<Reminder> => ({
    partition: ['CONTACT', contactId],
    under: ['REMINDER'],
  }),
  remindersOf: (userId: string): Range<Reminder> => ({ partition: ['REMINDERS', userId] }),
  trainingSnapshots: (contactId: string): Range<TrainingSnapshot> => ({
    partition: ['CONTACT', contactId],
    under: ['SNAPSHOT'],
  }),
  trainingSnapshotsOf: (userId: string): Range<Record<string, never>> => ({
    partition: ['SNAPSHOTS', userId],
    under: ['SNAPSHOT'],
  }),
  templates: (shelf: TemplateShelf): Range<StoredTemplate> => ({
    partition: ['TEMPLATES', ...shelf],
    under: ['TEMPLATE'],
  }),
  listings: (): Range<Listing> => ({ partition: ['MARKETPLACE'], under: ['LISTING'] }),
  calls: (view: CallView): Range<Call> => ({ partition: ['CALLS', ...view] }),
  contactCalls: (contactId: string): Range<Call> => ({
    partition: ['CONTACT', contactId],
    under: ['VOICECALL'],
  }),
  inbox: (view: InboxView): Range<InboxEntry> => ({ partition: ['INBOX', ...view] }),
  workflows: (view: WorkflowView): Range<WorkflowHeader> => ({ partition: ['WORKFLOWS', ...view] }),
  notifications: (tray: NotificationTray, userId: string): Range<StoredNotification> => ({
    partition: ['NOTIFICATIONS', userId, tray],
    under: ['NOTIFICATION'],
  }),
  outreachConfigurations: (): Range<StoredConfiguration> => ({
    partition: ['OUTREACH'],
    under: ['CONFIGURATION'],
  }),
  /** Counters of leads from one day to another of the same month, both inclusive. */
  leadCounters: (from: string, to: string): Range<never> => ({
    partition: ['LEADS', monthOf(from)],
    // The separator of a sort key is the last character before "$".
    between: { from, to: `${to}$` },
  }),
  connections: (): Range<SocketConnection> => ({ partition: ['CONNECTIONS'], under: ['CONNECTION'] }),
  board: (stageId: string, view: View): Range<Card> => ({ partition: ['BOARD', stageId, ...view] }),
} as const;
