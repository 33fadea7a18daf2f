import type { ContactChange } from '../../../../../shared/contact-aggregate/counters.ts';
import { contactKey, type StoredContact } from '../../../../../shared/contacts/contact.ts';
import { readAll } from '../../../../../shared/table/read-all.ts';
import type { TableReader } from '../../../../../shared/table/table.ts';

/** Pauses while a transaction becomes visible item by item: in the background, where nobody waits. */
export const pausesForRecords = [5, 10, 20, 40, 80, 160];

/** A contact after a change, as its record has it. */
export interface ChangedRecord {
  /** Of the record: that of the change, or a later one. */
  readonly version: number;
  /** Undefined if it is in another pipeline. */
  readonly contact: StoredContact | undefined;
}

/**
 * Reads the contacts of changes, in their order. Undefined stands for one whose record does not show the change yet, or that has been
 * deleted since.
 */
export async function changedRecords(
  table: TableReader,
  pipelineId: string,
  changes: readonly ContactChange[],
): Promise<(ChangedRecord | undefined)[]> {
  const records = await readAll(
    table,
    changes.map(({ contactId }) => contactKey(contactId)),
  );
  return changes.map((change, index) => {
    const record = records[index];
    if (record === undefined || record.version < change.version) {
      return undefined;
    }
    const { data, version } = record;
    return { version, contact: data.pipelineId === pipelineId ? data : undefined };
  });
}
