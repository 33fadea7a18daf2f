import type { NotificationType } from './notification.ts';

/**
 * What an event asks for whose transaction has no room for notifications, or should not cost more for them. The users get one
 * each, unless their preference is off, they are disabled, or they cannot see the record any more.
 */
export interface NoticeRequest {
  /** Messages need no request, and mentions and reminders are stored in the transaction of their cause. */
  readonly type: Exclude<NotificationType, 'mention' | 'reminder' | 'message'>;
  /** Users; unless stated, the owner of the event's contact. */
  readonly to?: readonly string[];
  /** The user who caused it, and who needs no notification of it. */
  readonly by?: string;
  /** For what is about no contact: what happened, in one line. */
  readonly title?: string;
  /** For what is about no contact: more about it. */
  readonly message?: string;
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
