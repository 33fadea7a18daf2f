import { type Assigned, newlyAssigned } from '../contacts/newly-assigned.ts';
import type { Key } from '../table/key.ts';
import type { NotificationType } from './notification.ts';

/**
 * The notifications that an event asks for, if its own transaction has no room for them or should not cost more. Each user gets one,
 * unless their preference is off, they are disabled, or they can no longer see the record.
 */
export interface NotificationRequest {
  /** Messages have another request; notifications of mentions, reminders and API keys are stored in the transaction of their cause. */
  readonly type: Exclude<
    NotificationType,
    'mention' | 'reminder' | 'message' | 'api_key_expiring' | 'webhook_endpoint_disabled'
  >;
  /** Users; unless stated, the owner of the event's contact. */
  readonly to?: readonly string[];
  /** The user who caused it, who gets no notification. */
  readonly by?: string;
  /** The record without which there would be nothing to notify of, beside the contact, conversation and call of the event. */
  readonly cause?: Key<unknown>;
  /** For what a job did to many contacts: to how many, for each user. */
  readonly counts?: Readonly<Record<string, number>>;
  /** For what is about no contact: what happened, in one line. */
  readonly title?: string;
  /** For what is about no contact: more about it. */
  readonly message?: string;
}

/** Asks to notify the users who read the conversation when the message came in, if they can still see it. */
export interface MessageNotificationRequest {
  readonly type: 'message';
  readonly to: readonly string[];
}

/** Asks to notify of an inbound message: the assignees of the conversation, or else the owner of the contact. */
export function messageNotification(
  assignees: readonly string[],
  owner: string | null,
): MessageNotificationRequest {
  return { type: 'message', to: assignees.length > 0 || owner === null ? assignees : [owner] };
}

/** Asks to notify the new owner and the new assignees, except the user who made the change; undefined if there are none. */
export function assignmentNotification(
  before: Assigned | undefined,
  after: Assigned,
  by: string,
): NotificationRequest | undefined {
  const to = newlyAssigned(before, after).filter((userId) => userId !== by);
  return to.length === 0 ? undefined : { type: 'assignment', by, to };
}
