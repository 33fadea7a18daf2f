import { eventGroups } from '../../../shared/events/event-groups.ts';
import type { StoredEvent } from '../../../shared/events/outbox.ts';
import { type Caller, lowerRole, type Role } from '../../../shared/kernel/caller.ts';
import { type ApiKey, apiKeyKey } from '../../../shared/organizations/api-key.ts';
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
  /** The groups of the documentation whose events the subscriber gets; absent for all. */
  readonly groups?: readonly string[];
}

/** The part of an event that a subscriber gets. */
export type VisibleEvent = Pick<StoredEvent, 'id' | 'event' | 'at' | 'actor' | 'data'>;

/**
 * The subscriber with the role and departments that the user has among these users; undefined if the user is disabled or gone. The other
 * users matter only for a DEPARTMENT_HEAD. An API key limits role and groups.
 */
export function knownSubscriber(
  userId: string,
  users: readonly KnownUser[],
  apiKey?: ApiKey,
): Subscriber | undefined {
  const user = users.find(({ _id }) => _id === userId);
  return user === undefined || user.disabled
    ? undefined
    : { userId, scope: scopeAmong({ userId, role: roleOf(user, apiKey) }, users), ...groupsOf(apiKey) };
}

/**
 * The subscriber as the table has the user and the API key now, with these records. Reads the other users only if the role depends on
 * them.
 */
export async function readSubscriber(
  userId: string,
  keyId: string | undefined,
  table: TableReader,
): Promise<(Subscriber & { user: User; apiKey: ApiKey | undefined }) | undefined> {
  const [found, key] = await Promise.all([
    table.read(userKey(userId)),
    keyId === undefined ? undefined : table.read(apiKeyKey(keyId)),
  ]);
  const [user, apiKey] = [found?.data, key?.data];
  return user === undefined || user.disabled
    ? undefined
    : {
        ...{ user, userId, apiKey, ...groupsOf(apiKey) },
        scope: await readScope({ userId, role: roleOf(user, apiKey) }, table),
      };
}

/**
 * The subscriber that the caller of a request is; undefined for a user who is disabled or gone and for an API key that is gone. A
 * SUPERADMIN from elsewhere sees the whole organization.
 */
export async function readCallingSubscriber(
  { userId, role, organizationId, homeOrganizationId, key }: Caller,
  table: TableReader,
): Promise<Subscriber | undefined> {
  if (organizationId !== homeOrganizationId) {
    return { userId, scope: await readScope({ userId, role }, table) };
  }
  const subscriber = await readSubscriber(userId, key?.id, table);
  return key !== undefined && subscriber?.apiKey === undefined ? undefined : subscriber;
}

function roleOf({ accessRole }: Pick<User, 'accessRole'>, apiKey: ApiKey | undefined): Role {
  return apiKey === undefined ? accessRole : lowerRole(accessRole, apiKey.role);
}

function groupsOf(apiKey: ApiKey | undefined): Pick<Subscriber, 'groups'> {
  return apiKey === undefined || apiKey.groups === null ? {} : { groups: apiKey.groups };
}

/**
 * Decides what the subscriber gets for an event: the event; a removal, if this event took the record out of the subscriber's sight; or
 * nothing.
 */
export function eventFor(subscriber: Subscriber, event: StoredEvent): VisibleEvent | undefined {
  const { audience } = event;
  if (subscriber.groups !== undefined && !subscriber.groups.includes(eventGroups[event.event])) {
    return undefined;
  }
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

/** Only the id and the former stage of the record; of a contact that was merged into one that the subscriber may not see, its own id alone. */
function removalOf({ id, at, actor, data }: StoredEvent): VisibleEvent {
  const { contactId, pipelineId, stageId, mergedContactId } = data;
  const removed =
    mergedContactId === undefined ? { contactId, pipelineId, stageId } : { contactId: mergedContactId };
  return { id, event: 'contact_removed', at, actor, data: removed };
}
