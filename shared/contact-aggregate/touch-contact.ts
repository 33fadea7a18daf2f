import { contactKey } from '../contacts/contact.ts';
import { notFound } from '../kernel/failure.ts';
import type { Step, TableWriter } from '../table/table.ts';

/**
 * The step beside whatever is newly tied to a contact (a note, a call, a reminder): the contact must still be there, and whoever
 * is about to delete it because nothing is attached must look again. Attaching never conflicts with attaching.
 */
export function touchContact(table: TableWriter, contactId: string): Step {
  return table.updateStep(contactKey(contactId), {
    update: 'ADD version :one',
    when: 'attribute_exists(pk)',
    values: { one: 1 },
    otherwise: () => notFound('Contact'),
  });
}
