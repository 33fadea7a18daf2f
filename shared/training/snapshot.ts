import type { Message } from '../conversations/conversation.ts';
import type { Key, Range } from '../table/key.ts';
import type { Timestamp } from '../time.ts';

/** How good an example a conversation is. */
export const qualities = ['good', 'bad'] as const;

/** A conversation as it was, kept as an example. Source: decisions 10, "Training snapshot". */
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

/** Bytes of a snapshot's messages as JSON: a page of 100 snapshots is still one answer. */
export const snapshotBytes = 56 * 1024;

/** Of messages given newest first, those that fit into a snapshot, oldest first. */
export function snapshotMessages(newestFirst: readonly Message[]): Message[] {
  const kept: Message[] = [];
  let bytes = 0;
  for (const message of newestFirst) {
    bytes += Buffer.byteLength(JSON.stringify(message)) + 1;
    if (bytes > snapshotBytes) {
      break;
    }
    kept.unshift(message);
  }
  return kept;
}

export const snapshotKey = (contactId: string, id: string): Key<TrainingSnapshot> => ({
  partition: ['CONTACT', contactId],
  sort: ['SNAPSHOT', id],
});

export const snapshotRange = (contactId: string): Range<TrainingSnapshot> => ({
  partition: ['CONTACT', contactId],
  under: ['SNAPSHOT'],
});

/** A snapshot in its creator's list; what it shows lies with the contact. */
export const snapshotEntryKey = (createdBy: string, id: string): Key<Record<string, never>> => ({
  partition: ['SNAPSHOTS', createdBy],
  sort: ['SNAPSHOT', id],
});

export const snapshotEntryRange = (userId: string): Range<Record<string, never>> => ({
  partition: ['SNAPSHOTS', userId],
  under: ['SNAPSHOT'],
});
