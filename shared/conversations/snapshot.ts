import { contactIdIn } from '../kernel/child-id.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import type { Message } from './conversation.ts';

/** Whether a conversation is a good or a bad example. */
export const qualities = ['good', 'bad'] as const;

/** A copy of a conversation, kept as an example. Source: decisions 10, "Training snapshot". */
export interface TrainingSnapshot {
  _id: string;
  contactId: string;
  conversationId: string;
  createdBy: string;
  quality: (typeof qualities)[number];
  category: string;
  tags: string[];
  /** The newest messages, oldest first. */
  messages: Message[];
  createdAt: Timestamp;
}

/** Bytes of a snapshot's messages as JSON, so that 100 snapshots fit into one response. */
export const snapshotBytes = 56 * 1024;

/** The newest messages that fit into a snapshot, oldest first, without scheduled ones: nobody has said them. */
export function snapshotMessages(newestFirst: readonly Message[]): Message[] {
  const kept: Message[] = [];
  let bytes = 0;
  for (const message of newestFirst.filter(({ status }) => status !== 'scheduled')) {
    bytes += Buffer.byteLength(JSON.stringify(message)) + 1;
    if (bytes > snapshotBytes) {
      break;
    }
    kept.unshift(message);
  }
  return kept;
}

export const snapshotKey = (id: string): Key<TrainingSnapshot> => ({
  partition: ['CONTACT', contactIdIn(id)],
  sort: ['SNAPSHOT', id],
});

export const snapshotRange = (contactId: string): Range<TrainingSnapshot> => ({
  partition: ['CONTACT', contactId],
  under: ['SNAPSHOT'],
});

/** A snapshot in its creator's list; the contact's partition holds its content. */
export const snapshotEntryKey = (createdBy: string, id: string): Key<Record<string, never>> => ({
  partition: ['SNAPSHOTS', createdBy],
  sort: ['SNAPSHOT', id],
});

export const snapshotEntryRange = (userId: string): Range<Record<string, never>> => ({
  partition: ['SNAPSHOTS', userId],
  under: ['SNAPSHOT'],
});
