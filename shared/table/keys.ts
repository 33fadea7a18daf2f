import type { StoredApplication } from '../applications/application.ts';
import type { Credentials, Session } from '../auth/records.ts';
import type { ApplicationCard, Card } from '../contacts/card.ts';
import type { StoredContact } from '../contacts/contact.ts';
import type { Conversation, Message } from '../conversations/conversation.ts';
import type { SocketConnection, StoredEvent } from '../live/event.ts';
import type { StoredNote } from '../notes/note.ts';
import type { Department, Organization } from '../organizations/organization.ts';
import type { User } from '../organizations/user.ts';
import type { Pipelines } from '../pipelines/pipeline.ts';
import type { Key, Range } from './key.ts';

/** Contacts are filed under every view that shows them: all, those of one user, those of nobody. */
export type View = readonly ['all'] | readonly ['user', string] | readonly ['unassigned'];

/** Conversations are filed under everybody's and under each person's who may see them. */
export type InboxView = Exclude<View, readonly ['unassigned']>;

/** Every key of an organization's partitions. The port puts the organization in front. */
export const keys = {
  organization: (): Key<Organization> => ({ partition: [], sort: ['ORGANIZATION'] }),
  user: (id: string): Key<User> => ({ partition: [], sort: ['USER', id] }),
  department: (id: string): Key<Department> => ({ partition: [], sort: ['DEPARTMENT', id] }),
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
  application: (contactId: string, id: string): Key<StoredApplication> => ({
    partition: ['CONTACT', contactId],
    sort: ['APPLICATION', id],
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
  inboxEntry: (view: InboxView, { _id, lastMessageAt, createdAt }: Conversation): Key<Conversation> => ({
    partition: ['INBOX', ...view],
    sort: [lastMessageAt ?? createdAt, _id],
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

/** Ranges of an organization's partitions. */
export const ranges = {
  users: (): Range<User> => ({ partition: [], under: ['USER'] }),
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
  inbox: (view: InboxView): Range<Conversation> => ({ partition: ['INBOX', ...view] }),
  connections: (): Range<SocketConnection> => ({ partition: ['CONNECTIONS'], under: ['CONNECTION'] }),
  board: (stageId: string, view: View): Range<Card> => ({ partition: ['BOARD', stageId, ...view] }),
} as const;

/** Every key of the identity space: what crosses organizations. */
export const identityKeys = {
  /** The lock that makes an e-mail address unique platform-wide; `digest` as `auth/email.ts` makes it. */
  email: (digest: string): Key<Credentials> => ({ partition: ['EMAIL', digest], sort: ['EMAIL'] }),
  session: (familyId: string): Key<Session> => ({ partition: ['SESSION', familyId], sort: ['SESSION'] }),
  /** Failed logins of an account (`ACCOUNT`, digest of the address) or of a source address (`ADDRESS`). */
  throttle: (of: 'ACCOUNT' | 'ADDRESS', subject: string): Key<never> => ({
    partition: ['THROTTLE', of, subject],
    sort: ['THROTTLE'],
  }),
  /** Which organization a connection belongs to: a disconnect knows nothing but the connection. */
  connection: (id: string): Key<{ organizationId: string; userId: string }> => ({
    partition: ['CONNECTION', id],
    sort: ['CONNECTION'],
  }),
} as const;
