import type { ContactChange } from '../contact-aggregate/counters.ts';
import { pause } from '../table/backoff.ts';
import type { TableReader } from '../table/table.ts';
import { indexedContact } from './indexed-contact.ts';
import { pausesForRecords, readChangedRecords } from './known-changes.ts';
import { batchRow, type ChangeBatch } from './stored-index.ts';

/** Characters of a batch, of the 400 KB of an item. */
const maxCharacters = 100_000;

/** A change of a contact, with its number in its shard. */
export interface NumberedChange extends ContactChange {
  readonly shard: number;
  readonly number: number;
}

/** The changes with the contacts after them, in as many batches as they need. */
export async function readChangeBatches(
  table: TableReader,
  pipelineId: string,
  news: readonly NumberedChange[],
): Promise<ChangeBatch[]> {
  const rows = await rowsOf(table, pipelineId, news);
  const batches: ChangeBatch[] = [];
  let changes: ChangeBatch['changes'][number][] = [];
  let own: ChangeBatch['rows'][number][] = [];
  let characters = 0;
  for (const { shard, number, contactId, version } of news) {
    const row = rows.get(contactId);
    const size = JSON.stringify(row ?? null).length;
    if (characters + size > maxCharacters && changes.length > 0) {
      batches.push({ changes, rows: own });
      [changes, own, characters] = [[], [], 0];
    }
    changes.push([shard, number, contactId, version]);
    if (row !== undefined) {
      own.push(row);
      characters += size;
      rows.delete(contactId);
    }
  }
  return [...batches, { changes, rows: own }];
}

/** The contacts that changed, by id, as they are now; none for deleted ones. */
async function rowsOf(
  table: TableReader,
  pipelineId: string,
  news: readonly NumberedChange[],
): Promise<Map<string, ChangeBatch['rows'][number]>> {
  const versions = new Map<string, number>();
  for (const { contactId, version } of news) {
    const isDeleted = version === 0 || versions.get(contactId) === 0;
    versions.set(contactId, isDeleted ? 0 : Math.max(version, versions.get(contactId) ?? 0));
  }
  const rows = new Map<string, ChangeBatch['rows'][number]>();
  let unread = [...versions]
    .filter(([, version]) => version > 0)
    .map(([contactId, version]) => ({ contactId, version }));
  for (const wait of [0, ...pausesForRecords]) {
    await pause(wait);
    const records = await readChangedRecords(table, pipelineId, unread);
    unread = unread.filter(({ contactId }, index) => {
      const record = records[index];
      if (record !== undefined) {
        const { version, contact } = record;
        rows.set(contactId, [contactId, version, contact ? batchRow(indexedContact(contact)) : null]);
      }
      return record === undefined;
    });
    if (unread.length === 0) {
      return rows;
    }
  }
  // Deleted since, or not visible yet: whoever needs them reads them again.
  return rows;
}
