import type { StoredEvent } from '../../../shared/events/outbox.ts';
import type { SessionRule } from '../../../shared/organizations/session.ts';
import type { User } from '../../../shared/organizations/user.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import { readScope, type Scope, scopeAmong, sees } from '../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** A user, as far as it decides who gets an event. */
export type KnownUser = Pick<User, '_id' | 'accessRole' | 'departmentIds'> & SessionRule;

/** A user who gets events, and what that user may see now. */
export interface Subscriber {
  readonly userId: string;
  readonly scope: Scope;
}

/** The part of an event that a subscriber gets. */
export type VisibleEvent = Pick<StoredEvent, 'id' | 'event' | 'at' | 'data'>;

/**
 * The subscriber with the role and departments that the user has among these users; undefined if the user is disabled or gone. The other
 * users matter only for a DEPARTMENT_HEAD.
 */
export function knownSubscriber(userId: string, users: readonly KnownUser[]): Subscriber | undefined {
  const user = users.find(({ _id }) => _id === userId);
  return user === undefined || user.disabled
    ? undefined
    : { userId, scope: scopeAmong({ userId, role: user.accessRole }, users) };
}

/** The subscriber as the table has the user now, and the user. Reads the other users only if the role depends on them. */
export async function readSubscriber(
  userId: string,
  table: TableReader,
): Promise<(Subscriber & { user: User }) | undefined> {
  const user = (await table.read(userKey(userId)))?.data;
  return user === undefined || user.disabled
    ? undefined
    : { user, userId, scope: await readScope({ userId, role: user.accessRole }, table) };
}

/**
 * Decides what the subscriber gets for an event: the event; a removal, if this event took the record out of the subscriber's sight; or
 * nothing.
 */
export function eventFor(subscriber: Subscriber, event: StoredEvent): VisibleEvent | undefined {
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

/** Only the id and the former stage of the record. */
function removalOf({ id, at, data }: StoredEvent): VisibleEvent {
  const { contactId, pipelineId, stageId } = data;
  return { id, event: 'contact_removed', at, data: { contactId, pipelineId, stageId } };
}
