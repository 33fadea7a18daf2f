import type { Message } from '../conversations/conversation.ts';
import type { DueEntry } from '../events/due-entry.ts';

/** The entry that sends a message at its time; undefined for a message that is not scheduled (any more). */
export function dueMessage(
  organizationId: string,
  { _id, conversationId, status, sendAt, sentBy }: Message,
): DueEntry | undefined {
  return status === 'scheduled' && sendAt && sentBy
    ? { kind: 'scheduledMessage', at: sendAt, organizationId, group: sentBy, id: _id, conversationId }
    : undefined;
}
