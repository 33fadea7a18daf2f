import { contactKey } from '../contacts/contact.ts';
import { notFound } from '../kernel/failure.ts';
import type { Step, TableWriter } from '../table/table.ts';

/**
 * The step for a new child of a contact (a note, a call, a reminder): the contact must still exist, and nobody may delete it as
 * unused at the same moment. Adding children at once never conflicts.
 */
export function touchContact(table: TableWriter, contactId: string): Step {
  return table.updateStep(contactKey(contactId), {
    update: 'ADD version :one',
    when: 'attribute_exists(pk)',
    values: { one: 1 },
    otherwise: () => notFound('Contact'),
  });
}
