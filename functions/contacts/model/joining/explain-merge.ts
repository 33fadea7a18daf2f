import { ContactMerged } from '../../../../shared/contacts/find-contact.ts';
import { forwardKey } from '../../../../shared/contacts/holdings.ts';
import { Failure, notFound } from '../../../../shared/kernel/failure.ts';
import { day } from '../../../../shared/kernel/time.ts';
import type { TableReader } from '../../../../shared/table/table.ts';

/** How long a contact that was merged says into which one. */
const toldFor = 30 * day;

/** The 404 for a contact that was merged into this one. */
export const mergedFailure = (mergedInto: string): Failure =>
  new Failure('NOT_FOUND', notFound('Contact').message, { details: { mergedInto } });

/** @throws the error why a contact was not found; of one that was merged lately, with the contact that it was merged into. */
export async function explainMerge(
  table: TableReader,
  id: string,
  error: unknown,
  now: Date,
): Promise<never> {
  if (error instanceof ContactMerged) {
    const forward = await table.read(forwardKey(id));
    const isRecent = now.getTime() - Date.parse(forward?.data.at ?? '') < toldFor;
    throw isRecent ? mergedFailure(error.mergedInto) : error;
  }
  throw error;
}
