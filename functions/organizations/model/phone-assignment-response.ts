import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString } from '../../../shared/kernel/schemas/fields.ts';
import { numberStatuses, type PhoneAssignment } from '../../../shared/organizations/phone-assignments.ts';
import { fullName, type User } from '../../../shared/organizations/user.ts';

/** Source: specification, "Phone-number assignment". */
export const PhoneAssignmentResponse = described(
  z.object({
    userId: anyString,
    userName: anyString,
    userEmail: anyString,
    provider: anyString,
    phoneNumber: anyString,
    isDefault: anyBoolean,
    isInboundEnabled: anyBoolean,
    label: anyString,
    status: z.enum(numberStatuses),
  }),
  {
    userId: 'The user whose number it is.',
    userName: 'First and last name of that user.',
    userEmail: 'Email address of that user.',
    provider: 'The provider that carries the number.',
    phoneNumber: 'The number, in E.164.',
    isDefault: "Whether the user's calls and messages come from this number.",
    isInboundEnabled: 'Whether calls to the number ring for the user.',
    label: 'A name for the number; may be empty.',
    status: '`pending` until a SUPERADMIN has approved the number, then `active`.',
  },
  {
    id: 'PhoneNumberAssignment',
    description: 'A phone number of an organization, and the user it is assigned to.',
  },
);

export function toPhoneAssignmentResponse(
  user: User,
  assignment: PhoneAssignment,
): z.input<typeof PhoneAssignmentResponse> {
  return { ...assignment, userId: user._id, userName: fullName(user), userEmail: user.email };
}
