import type { User } from '../organizations/user.ts';
import { userKey } from '../organizations/user.ts';
import type { Key } from '../table/key.ts';
import type { TableReader } from '../table/table.ts';
import { type UnreadCounter, unreadCounterIn, unreadCounterKey } from './unread-counter.ts';

/** A user about to be notified. */
export interface Recipient {
  readonly user: User;
  readonly counter: UnreadCounter;
}

/** Users with what notifying them depends on, in one round trip; at most 50. Undefined for an id that no user of the organization has. */
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
