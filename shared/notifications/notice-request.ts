import type { NotificationType } from './notification.ts';

/**
 * What an event asks for whose transaction has no room for notifications, or should not cost more for them. The users get one
 * each, unless their preference is off, they are disabled, or they cannot see the record any more.
 */
export interface NoticeRequest {
  /** Messages have a request of their own; mentions, reminders and those of automations are stored in the transaction of their cause. */
  readonly type: Exclude<NotificationType, 'mention' | 'reminder' | 'message' | 'automation'>;
  /** Users; unless stated, the owner of the event's contact. */
  readonly to?: readonly string[];
  /** The user who caused it, and who needs no notification of it. */
  readonly by?: string;
  /** For what is about no contact: what happened, in one line. */
  readonly title?: string;
  /** For what is about no contact: more about it. */
  readonly message?: string;
}

/** What the event of an inbound message asks for: its readers when it came in, as far as they see the conversation later. */
export interface MessageNoticeRequest {
  readonly type: 'message';
  readonly to: readonly string[];
}

/** Asks to notify of an inbound message: the assignees of the conversation, or else the owner of the contact. */
export function messageNotice(assignees: readonly string[], owner: string | null): MessageNoticeRequest {
  return { type: 'message', to: assignees.length > 0 || owner === null ? assignees : [owner] };
}

/** The users of a contact or a conversation. */
interface Assigned {
  readonly owner: string | null;
  readonly assignees: readonly string[];
}

/** Asks to notify the new owner and the new assignees, but for who made the change; undefined if there are none. */
export function assignmentNotice(
  before: Assigned | undefined,
  { owner, assignees }: Assigned,
  by: string,
): NoticeRequest | undefined {
  const newOwner = owner === null || owner === before?.owner ? [] : [owner];
  const newAssignees = assignees.filter((userId) => !before?.assignees.includes(userId));
  const to = [...new Set([...newOwner, ...newAssignees])].filter((userId) => userId !== by);
  return to.length === 0 ? undefined : { type: 'assignment', by, to };
}
