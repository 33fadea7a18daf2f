import type { StoredEvent } from '../../../shared/live/event.ts';
import type { User } from '../../../shared/organizations/user.ts';
import { type Scope, scopeAmong, sees } from '../../../shared/visibility.ts';

/** A user who watches events, and what that user may see now. */
export interface Watcher {
  readonly userId: string;
  readonly scope: Scope;
}

/** An event as far as a watcher is told of it. */
export type Shown = Pick<StoredEvent, 'id' | 'event' | 'at' | 'data'>;

/** The user as a watcher, by the current role and departments; undefined for one who is disabled or gone. */
export function watcherOf(userId: string, users: readonly User[]): Watcher | undefined {
  const user = users.find(({ _id }) => _id === userId);
  return user === undefined || user.disabled
    ? undefined
    : { userId, scope: scopeAmong({ userId, role: user.accessRole }, users) };
}

/**
 * What the watcher is told of an event: the event; that a record is gone, for one who saw it before this event and does
 * not any more; or nothing.
 */
export function shownTo(watcher: Watcher, event: StoredEvent): Shown | undefined {
  const { audience } = event;
  switch (audience.kind) {
    case 'organization':
      return event;
    case 'user':
      return audience.userId === watcher.userId ? event : undefined;
    case 'users':
      return audience.userIds.includes(watcher.userId) ? event : undefined;
    case 'record':
      if (sees(watcher.scope, audience.people)) {
        return event;
      }
      return audience.formerly !== undefined && sees(watcher.scope, audience.formerly)
        ? removalOf(event)
        : undefined;
  }
}

/** Nothing of the record but which one it was and where it stood. */
function removalOf({ id, at, data }: StoredEvent): Shown {
  const { contactId, pipelineId, stageId } = data;
  return { id, event: 'contact_removed', at, data: { contactId, pipelineId, stageId } };
}
