import type { Timestamp } from '../time.ts';

/** A note on a contact, as stored. */
export interface StoredNote {
  _id: string;
  contactId: string;
  userId: string;
  note: string;
  mentions: string[];
  attachments: { key: string; name: string; size: number; type: string }[];
  reactions: { emoji: string; users: string[] }[];
  isEdited: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}
