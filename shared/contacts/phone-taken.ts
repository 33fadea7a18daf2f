import { Failure } from '../kernel/failure.ts';
import type { DetailedFailure } from '../kernel/operation.ts';

/** The 409 for a phone number that another contact has. Source: decisions 6, "Phone numbers". */
export function phoneTaken(contactId: string): Failure {
  return new Failure('CONFLICT', 'Another contact of this organization has this phone number.', {
    title: 'Phone number taken',
    details: { contactId },
  });
}

/** The same for the documentation. */
export const describedPhoneTaken: DetailedFailure = {
  example: phoneTaken('01JD0000000000000000000000'),
  details: { contactId: { description: 'The contact that has the phone number.' } },
};
