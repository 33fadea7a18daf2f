import * as z from 'zod/mini';
import { roles } from '../kernel/caller.ts';
import { anyText, yesOrNo } from '../kernel/fields.ts';
import { conversationOpenPreferences, fullName, type User } from './user.ts';

/** A user as colleagues see one. */
export const UserAnswer = z
  .object({
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
    createdAt: anyText,
    updatedAt: anyText,
  })
  .check(z.meta({ id: 'OrganizationUser' }));

export function shownUser(user: User): z.input<typeof UserAnswer> {
  return { ...user, fullName: fullName(user) };
}
