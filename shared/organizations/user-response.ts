import * as z from 'zod/mini';
import { roles } from '../kernel/caller.ts';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../kernel/schemas/fields.ts';
import { conversationOpenPreferences, fullName, openPreferenceMeaning, type User } from './user.ts';

export const UserResponse = described(
  z.object({
    _id: anyString,
    email: anyString,
    firstName: anyString,
    lastName: anyString,
    fullName: anyString,
    organizationId: anyString,
    accessRole: z.enum(roles),
    departmentIds: z.array(anyString),
    conversationOpenPreference: z.enum(conversationOpenPreferences),
    disabled: anyBoolean,
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the user.',
    email: 'The email address the user logs in with.',
    firstName: 'First name.',
    lastName: 'Last name.',
    fullName: 'First and last name.',
    organizationId: 'The organization the user belongs to.',
    accessRole: 'The role of the user.',
    departmentIds: 'The departments the user is a member of.',
    conversationOpenPreference: openPreferenceMeaning,
    disabled: 'Whether the account of the user is disabled.',
    createdAt: 'When the user was registered.',
    updatedAt: 'When the user last changed.',
  },
  { id: 'OrganizationUser', description: 'A user, as other users of the organization see one.' },
);

export function toUserResponse(user: User): z.input<typeof UserResponse> {
  return { ...user, fullName: fullName(user) };
}
