import { phoneTakenBy } from '../../../shared/contacts/phone-numbers.ts';
import type { DetailedFailure } from '../../../shared/kernel/operation.ts';

/** The 409 of a phone number that another contact has, for the documentation. */
export const describedPhoneTaken: DetailedFailure = {
  example: phoneTakenBy('01JD0000000000000000000000'),
  details: { contactId: { description: 'The contact that has the phone number.' } },
};
