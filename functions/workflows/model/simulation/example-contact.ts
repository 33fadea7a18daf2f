import {
  contactKey,
  newContact,
  type StoredContact,
  withOneNumber,
} from '../../../../shared/contacts/contact.ts';
import { readPipelines } from '../../../../shared/contacts/pipeline.ts';
import { entryStage } from '../../../../shared/contacts/stages.ts';
import { timestamp } from '../../../../shared/kernel/time.ts';
import type { TableWriter } from '../../../../shared/table/table.ts';

/** Nobody has this number: it is among those set aside for stories. Source: North American Numbering Plan, 555-0100 to 555-0199. */
const fields = {
  ...{ firstName: 'Alex', lastName: 'Example', email: 'alex@example.com' },
  ...withOneNumber('+12025550142'),
};

/**
 * Adds a contact that does not exist to the tables of a simulation: new, in the first stage, of the owner of the workflow. Boards and
 * locks of numbers know nothing of it.
 */
export async function addExampleContact(
  table: TableWriter,
  id: string,
  ownerId: string,
  at: Date,
): Promise<StoredContact> {
  const { organizationId } = table;
  const { data } = await readPipelines(table);
  const creator = { userId: ownerId, organizationId, homeOrganizationId: organizationId };
  const contact = newContact(id, creator, entryStage(data.pipelines), fields, timestamp(at));
  await table.commit([table.add(contactKey(id), contact)]);
  return contact;
}
