import { contactKey } from '../../../shared/contacts/contact.ts';
import { Taken } from '../../../shared/contacts/taken.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import type { DetailedFailure } from '../../../shared/kernel/documentation.ts';
import { involvedPeople, readScope, sees } from '../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** The 409 of what another contact has, for the documentation. */
export const describedTaken: DetailedFailure = {
  example: new Taken('phone', '01JD0000000000000000000000', { isNamed: true }),
  details: {
    contactId: {
      description: 'The contact that has the phone number or the `externalId`. Absent if you may not see it.',
    },
  },
};

/**
 * Runs an attempt to give a contact phone numbers or an `externalId`.
 * @throws what it throws; a `Taken` names the contact to a caller who may see it.
 */
export async function explainTaken<Result>(
  table: TableReader,
  caller: Caller,
  attempt: () => Promise<Result>,
): Promise<Result> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof Taken)) {
      throw error;
    }
    const { what, contactId } = error;
    const [contact, scope] = await Promise.all([table.read(contactKey(contactId)), readScope(caller, table)]);
    const isNamed = contact !== undefined && sees(scope, involvedPeople(contact.data));
    throw new Taken(what, contactId, { isNamed });
  }
}
