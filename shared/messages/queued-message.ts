import { encodeTime } from 'ulid';
import { contactIdIn } from '../kernel/child-id.ts';
import { day } from '../kernel/time.ts';
import type { StoredAttachment } from '../notes/attachments.ts';
import type { Key, Range } from '../table/key.ts';

/** A message on its way to the provider, until it is known to be sent or failed. */
export interface QueuedMessage {
  messageId: string;
  conversationId: string;
  contactId: string;
  /** E.164; null for the standard sender of the provider account. */
  from: string | null;
  /** E.164. */
  to: string;
  content: string;
  /** Whether it is also sent to a contact who has opted out: the help message is. */
  evenIfOptedOut?: true;
  /** Links to them are signed when the message is sent, because the signing credentials are valid for some hours only. */
  media: Pick<StoredAttachment, 'key' | 'name' | 'type'>[];
}

/** Milliseconds that a message may wait to be sent. Then it fails, and the table deletes it from the queue. */
export const queuedFor = day;

/** Whether a message has waited this long: its id begins with the time at which it was queued. */
export function hasWaited({ messageId }: QueuedMessage, milliseconds: number, now: Date): boolean {
  const time = encodeTime(now.getTime() - milliseconds);
  return messageId.slice(0, time.length) <= time;
}

/** In the contact's partition, so that it is deleted with the contact. */
export const queuedMessageKey = (messageId: string): Key<QueuedMessage> => ({
  partition: ['CONTACT', contactIdIn(messageId)],
  sort: ['OUTGOING', messageId],
});

/** The messages to a contact that are not sent yet, oldest first. */
export const queuedMessageRange = (contactId: string): Range<QueuedMessage> => ({
  partition: ['CONTACT', contactId],
  under: ['OUTGOING'],
});
