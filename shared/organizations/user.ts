import type { Role } from '../kernel/caller.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import type { Stored } from '../table/table.ts';

/** Where a conversation opens for this user. Source: decisions 3. */
export const conversationOpenPreferences = ['latest', 'first_unread', 'last_position'] as const;
export type ConversationOpenPreference = (typeof conversationOpenPreferences)[number];

export const openPreferenceMeaning =
  'Where clients open a conversation for this user. `latest`: at its last message. `last_position`: at the message in its `readUpTo`, or at its first message without one. `first_unread`: at the first inbound message after `readUpTo`, or at the last message if `unreadCount` is 0.';

/** A stored user. The password is in the record of the email lock, which only the identity port reads. */
export interface User {
  _id: string;
  organizationId: string;
  email: string;
  firstName: string;
  lastName: string;
  accessRole: Role;
  departmentIds: string[];
  conversationOpenPreference: ConversationOpenPreference;
  disabled: boolean;
  /** Sessions that began earlier are over; absent if they were never ended together. A minute ahead of the request that ended them. */
  sessionsNotBefore?: Timestamp;
  /** The only earlier session that continues: the one in which the password was changed. */
  keptSessionId?: string;
  /** The id of the password; absent until it was changed once. The credentials have the same. */
  passwordId?: string;
  /** The second factor that a login asks for; absent if the user has confirmed none. */
  factorId?: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** `firstName lastName`, trimmed. Source: decisions 3, "Full name". */
export function fullName({ firstName, lastName }: { firstName: string; lastName: string }): string {
  return `${firstName} ${lastName}`.trim();
}

/** The name that others see. A user who is not one of the organization acted from another organization, and stays unnamed. */
export function displayName(user: User | undefined): string {
  return user === undefined ? 'Someone outside this organization' : fullName(user);
}

/** The user as the owner of what comes in: nobody if disabled or gone, because such a user would own records that nobody reads. */
export function ownerIfEnabled(user: Pick<Stored<User>, 'data'> | undefined): string | null {
  return user === undefined || user.data.disabled ? null : user.data._id;
}

export const userKey = (id: string): Key<User> => ({ partition: [], sort: ['USER', id] });

export const userRange = (): Range<User> => ({ partition: [], under: ['USER'] });
