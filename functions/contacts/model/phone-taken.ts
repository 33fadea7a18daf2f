import { contactKey } from '../../../shared/contacts/contact.ts';
import { PhoneTaken } from '../../../shared/contacts/phone-numbers.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import type { DetailedFailure } from '../../../shared/kernel/documentation.ts';
import { involvedPeople, readScope, sees } from '../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** The 409 of a phone number that another contact has, for the documentation. */
export const describedPhoneTaken: DetailedFailure = {
  example: new PhoneTaken('01JD0000000000000000000000', { isNamed: true }),
  details: {
    contactId: { description: 'The contact that has the phone number. Absent if you may not see it.' },
  },
};

/**
 * Runs an attempt to give a contact phone numbers.
 * @throws what it throws; a `PhoneTaken` names the contact to a caller who may see it.
 */
export async function explainPhoneTaken<Result>(
  table: TableReader,
  caller: Caller,
  attempt: () => Promise<Result>,
): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof PhoneTaken)) {
      throw error;
    }
    const { contactId } = error;
    const [contact, scope] = await Promise.all([table.read(contactKey(contactId)), readScope(caller, table)]);
    const isNamed = contact !== undefined && sees(scope, involvedPeople(contact.data));
    throw new PhoneTaken(contactId, { isNamed });
  }
}
