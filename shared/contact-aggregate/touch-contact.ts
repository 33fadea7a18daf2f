import { contactKey } from '../contacts/contact.ts';
import { notFound } from '../kernel/failure.ts';
import type { Action, TableWriter } from '../table/table.ts';

/**
 * The action for a new child of a contact (a note, a call, a reminder): the contact must still exist, and a simultaneous request
 * must not delete it as unused. Adding several children at once never conflicts.
 */
export function touchContact(table: TableWriter, contactId: string): Action {
  return table.updateAction(contactKey(contactId), {
    update: 'ADD version :one',
    when: 'attribute_exists(pk)',
    values: { one: 1 },
    otherwise: () => notFound('Contact'),
  });
}
