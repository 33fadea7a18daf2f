import * as z from 'zod/mini';
import { PhoneNumber } from '../../../shared/contacts/phone-number-field.ts';
import {
  anyBoolean,
  Id,
  labelSchema,
  Name,
  nameLimit,
  trimmedString,
} from '../../../shared/kernel/schemas/fields.ts';

/** The changes of an assignment in a request; an absent key keeps its value. */
export const PhoneAssignmentChanges = z.partial(
  z.object({
    provider: Name,
    isDefault: anyBoolean,
    isInboundEnabled: anyBoolean,
    label: labelSchema(nameLimit),
    secret: trimmedString(nameLimit),
  }),
);
export type PhoneAssignmentChanges = z.output<typeof PhoneAssignmentChanges>;

export const NewPhoneAssignment = z.object({
  ...PhoneAssignmentChanges.shape,
  userId: Id,
  provider: Name,
  phoneNumber: PhoneNumber,
});
export type NewPhoneAssignment = z.output<typeof NewPhoneAssignment>;

export const phoneAssignmentDescriptions = {
  provider: 'The name of the provider that carries the number.',
  isDefault:
    "Whether the user's calls and messages come from this number; the previous default number is then no longer the default. While the default number is `pending`, they come from the first of the user's active numbers.",
  isInboundEnabled: 'Whether calls to the number ring for the user; true by default.',
  label: 'A name for the number; empty by default.',
  secret:
    'The secret with which the provider signs its webhook calls; once it is set, unsigned ones are refused. Empty for none. Never returned.',
} as const;
