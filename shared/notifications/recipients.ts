import type { User } from '../organizations/user.ts';
import { userKey } from '../organizations/user.ts';
import type { Key } from '../table/key.ts';
import type { TableReader } from '../table/table.ts';
import { type UnreadCounter, unreadCounterIn, unreadCounterKey } from './unread-counter.ts';

export interface Recipient {
  readonly user: User;
  readonly counter: UnreadCounter;
}

/**
 * Reads up to 50 users with what notifying them needs, in one round trip. Undefined for an id without a user in the organization.
 */
export async function recipientsOf(
  table: TableReader,
  userIds: readonly string[],
): Promise<(Recipient | undefined)[]> {
  const asked: Key<unknown>[] = [...userIds.map(userKey), ...userIds.map(unreadCounterKey)];
  const found = await table.readMany(asked);
  return userIds.map((_, index) => {
    const user = found[index]?.data as User | undefined;
    return user && { user, counter: unreadCounterIn(found[index + userIds.length]) };
  });
}
