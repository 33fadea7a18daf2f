import { isDeepStrictEqual } from 'node:util';
import { contactKey } from '../../../../shared/contacts/contact.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import { Failure, notFound } from '../../../../shared/kernel/failure.ts';
import { unusedId } from '../../../../shared/kernel/identifier.ts';
import { involvedPeople, sees } from '../../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { findHeader } from '../definition/find-workflow.ts';
import { requireRightsOfOwner, widerRights } from '../definition/rights-of-owner.ts';
import { type TriggerRow, triggerKey } from '../definition/triggers.ts';
import { boundOfStep } from '../runs/operation-table.ts';

/** The 404 for one contact of several, which it names, unless no record can have such an id. */
export const contactNotFound = (contactId: string) =>
  contactId === unusedId
    ? notFound('Contact')
    : new Failure('NOT_FOUND', 'Contact not found', { details: { contactId } });

/**
 * The manual triggers of a workflow, for a caller who may see it and all of these contacts, at most 100; in one round trip.
 * @throws a 404 `Failure` for a caller who may not, a 403 for one without the rights of the owner, a 409 for a workflow that nobody can
 * start by hand.
 */
export async function findStartable(
  table: TableReader,
  caller: Caller,
  workflowId: string,
  contactIds: readonly string[],
): Promise<TriggerRow> {
  const [{ header, rights }, row, contacts] = await Promise.all([
    findHeader(table, caller, workflowId),
    table.read(triggerKey('manual.started', workflowId)),
    table.readMany(contactIds.map(contactKey)),
  ]);
  const hidden = contactIds.find((_, index) => {
    const contact = contacts[index];
    return contact === undefined || !sees(rights.scope, involvedPeople(contact.data));
  });
  if (hidden !== undefined) {
    throw contactIds.length === 1 ? notFound('Contact') : contactNotFound(hidden);
  }
  requireRightsOfOwner(rights, header.data.userId);
  const bound = boundOfStep(table);
  if (bound !== undefined && !isDeepStrictEqual(bound, row?.data.most)) {
    // A run that is held to earlier rights of its owner does not come by those of now through another workflow of the owner.
    throw widerRights();
  }
  if (!header.data.enabled) {
    throw new Failure('CONFLICT', 'The workflow is disabled. Enable it, or simulate it.');
  }
  if (row === undefined) {
    throw new Failure('CONFLICT', 'The workflow has no trigger with the event manual.started.');
  }
  return row.data;
}
