import * as z from 'zod/mini';
import { anyText, yesOrNo } from '../kernel/fields.ts';
import type { PhoneAssignment } from './phone-assignment.ts';
import { fullName, type User } from './user.ts';

/** Source: specification, "Phone-number assignment". */
export const PhoneAssignmentAnswer = z
  .object({
    userId: anyText,
    userName: anyText,
    userEmail: anyText,
    provider: anyText,
    phoneNumber: anyText,
    isDefault: yesOrNo,
    isInboundEnabled: yesOrNo,
    label: anyText,
  })
  .check(z.meta({ id: 'PhoneNumberAssignment' }));

/** An assignment with the user whose it is. */
export function shownAssignment(
  user: User,
  assignment: PhoneAssignment,
): z.input<typeof PhoneAssignmentAnswer> {
  return { ...assignment, userId: user._id, userName: fullName(user), userEmail: user.email };
}
