import * as z from 'zod/mini';
import { roles } from '../../../shared/kernel/caller.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyText, dateTime, yesOrNo } from '../../../shared/kernel/schemas/fields.ts';
import {
  conversationOpenPreferences,
  fullName,
  openPreferenceMeaning,
  type User,
} from '../../../shared/organizations/user.ts';

export const UserResponse = described(
  z.object({
    _id: anyText,
    email: anyText,
    firstName: anyText,
    lastName: anyText,
    fullName: anyText,
    organizationId: anyText,
    accessRole: z.enum(roles),
    departmentIds: z.array(anyText),
    conversationOpenPreference: z.enum(conversationOpenPreferences),
    disabled: yesOrNo,
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the user.',
    email: 'The e-mail address the user logs in with.',
    firstName: 'First name.',
    lastName: 'Last name.',
    fullName: 'First and last name.',
    organizationId: 'The organization the user belongs to.',
    accessRole: 'The role of the user.',
    departmentIds: 'The departments the user is a member of.',
    conversationOpenPreference: openPreferenceMeaning,
    disabled: 'Whether the user is locked out.',
    createdAt: 'When the user was registered.',
    updatedAt: 'When the user last changed.',
  },
  { id: 'OrganizationUser', description: 'A user, as colleagues see one.' },
);

export function toUserResponse(user: User): z.input<typeof UserResponse> {
  return { ...user, fullName: fullName(user) };
}
