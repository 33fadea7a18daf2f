import * as z from 'zod';
import { type Role, roles } from '../kernel/caller.ts';
import type { Timestamp } from '../time.ts';

/** Where a conversation opens for this user. Source: decisions 3. */
export const conversationOpenPreferences = ['latest', 'first_unread', 'last_position'] as const;
export type ConversationOpenPreference = (typeof conversationOpenPreferences)[number];

/** A user as stored. The password lies with the e-mail lock, where only the identity port reads it. */
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
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** The user as returned with tokens. Source: specification, "User (compact, returned with tokens)". */
export const CompactUser = z
  .object({
    id: z.string(),
    email: z.string(),
    fullName: z.string(),
    organizationId: z.string(),
    accessRole: z.enum(roles),
    conversationOpenPreference: z.enum(conversationOpenPreferences),
  })
  .meta({ id: 'User' });

/** `firstName lastName`, trimmed. Source: decisions 3, "Full name". */
export function fullName({ firstName, lastName }: { firstName: string; lastName: string }): string {
  return `${firstName} ${lastName}`.trim();
}

export function compactUser(user: User): z.infer<typeof CompactUser> {
  const { _id, email, organizationId, accessRole, conversationOpenPreference } = user;
  return { id: _id, email, fullName: fullName(user), organizationId, accessRole, conversationOpenPreference };
}
