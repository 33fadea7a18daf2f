import type { StoredEvent } from '../../../shared/live/event.ts';
import type { User } from '../../../shared/organizations/user.ts';
import { type Scope, scopeAmong, sees } from '../../../shared/visibility.ts';

/** A user who is told of events, and what that user may see now. */
export interface Subscriber {
  readonly userId: string;
  readonly scope: Scope;
}

/** An event as far as a subscriber is told of it. */
export type Shown = Pick<StoredEvent, 'id' | 'event' | 'at' | 'data'>;

/** The user as a subscriber, by the current role and departments; undefined for one who is disabled or gone. */
export function subscriberOf(userId: string, users: readonly User[]): Subscriber | undefined {
  const user = users.find(({ _id }) => _id === userId);
  return user === undefined || user.disabled
    ? undefined
    : { userId, scope: scopeAmong({ userId, role: user.accessRole }, users) };
}

/**
 * What the subscriber is told of an event: the event; that a record is gone, for one who saw it before this event and does
 * not any more; or nothing.
 */
export function shownTo(subscriber: Subscriber, event: StoredEvent): Shown | undefined {
  const { audience } = event;
  switch (audience.kind) {
    case 'organization':
      return event;
    case 'user':
      return audience.userId === subscriber.userId ? event : undefined;
    case 'users':
      return audience.userIds.includes(subscriber.userId) ? event : undefined;
    case 'record':
      if (sees(subscriber.scope, audience.people)) {
        return event;
      }
      return audience.formerly !== undefined && sees(subscriber.scope, audience.formerly)
        ? removalOf(event)
        : undefined;
  }
}

/** Nothing of the record but which one it was and where it stood. */
function removalOf({ id, at, data }: StoredEvent): Shown {
  const { contactId, pipelineId, stageId } = data;
  return { id, event: 'contact_removed', at, data: { contactId, pipelineId, stageId } };
}
