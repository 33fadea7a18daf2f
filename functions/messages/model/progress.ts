import type { Message } from '../../../shared/conversations/conversation.ts';
import type { MessageFailure } from '../../../shared/kernel/providers/message-failure.ts';
import type { SmsOutcome } from '../../../shared/kernel/providers/sms-provider.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';

/** How far an outbound message is. The first of several that are equally far stays. */
const distances = { queued: 0, sent: 1, delivered: 2, undelivered: 2, failed: 2, read: 3 } as const;
type OutboundStatus = keyof typeof distances;

/** The state of an outbound message. */
export interface Progress {
  readonly status: OutboundStatus;
  /** Why it is `failed` or `undelivered`. */
  readonly failure?: MessageFailure;
  /** The provider's id of the message, if the provider has taken it. */
  readonly providerMessageId?: string;
  readonly at: Timestamp;
}

/** The progress that the provider's response means. */
export function toProgress(outcome: SmsOutcome, at: Timestamp): Progress {
  if (outcome.status === 'sent') {
    return { ...outcome, at };
  }
  const { status, code, reason } = outcome;
  return { status, failure: { code, reason }, at };
}

/**
 * The message after this progress; the same object if it is as far already, or if the progress is about another try to send it. Progress
 * without the provider's id says that the message could not be sent, and counts only as long as nobody has sent it. If the provider has
 * queued the message, it stays queued, with the provider's id.
 */
export function progressed(message: Message, { status, failure, providerMessageId, at }: Progress): Message {
  const distance = distances[message.status as OutboundStatus] as number | undefined;
  const known = message.providerMessageId;
  const isOther = known !== null && providerMessageId !== undefined && known !== providerMessageId;
  const isUnsent = providerMessageId === undefined && (known !== null || message.status !== 'queued');
  if (distance === undefined || isOther || isUnsent) {
    return message;
  }
  if (distances[status] <= distance) {
    const isTaken = message.status === 'queued' && known === null && providerMessageId !== undefined;
    return isTaken ? { ...message, providerMessageId } : message;
  }
  const { failure: _, ...rest } = message;
  return {
    ...rest,
    status,
    providerMessageId: known ?? providerMessageId ?? null,
    ...(failure && { failure }),
    // A message that was read was delivered.
    ...((status === 'delivered' || (status === 'read' && message.deliveredAt === undefined)) && {
      deliveredAt: at,
    }),
  };
}
