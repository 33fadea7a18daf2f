import { type ContactChange, counterShards, type ShardChanges } from '../contact-aggregate/counters.ts';
import { contactKey, type StoredContact } from '../contacts/contact.ts';
import { readAll } from '../table/read-all.ts';
import type { TableReader } from '../table/table.ts';
import type { ChangedContact } from './search-index.ts';
import { type ChangeBatch, contactInBatch, isWhole } from './stored-index.ts';

/** For each shard of the counters, the number of a change. */
export type ChangeNumbers = readonly number[];

const noChanges: ChangeNumbers = Array.from({ length: counterShards }, () => 0);

/** The number of the last change in each shard, 0 for a shard without any. */
export function changeNumbers(shards: readonly ShardChanges[]): ChangeNumbers {
  const counts = new Map(shards.map(({ shard, count }) => [shard, count]));
  return noChanges.map((_, shard) => counts.get(shard) ?? 0);
}

/**
 * Whether counters remember all changes after those of these numbers: without numbers, all that there have been. Nothing else tells when
 * a change was committed, because not every change raises a time of its contact, and none of them says when its transaction ended.
 */
export function rememberAll(shards: readonly ShardChanges[], since: ChangeNumbers = noChanges): boolean {
  return shards.every(({ shard, count, latest }) => count - (since[shard] ?? 0) <= latest.length);
}

/** Which contacts changed, by the number of the change in its shard, as far as batches and counters say. */
export class KnownChanges {
  readonly #changes = new Map<string, ContactChange>();
  readonly #rows = new Map<string, ChangedContact>();
  /** For each shard, the number of the last change in a batch. */
  readonly #last = new Map<number, number>();

  constructor(batches: readonly ChangeBatch[]) {
    for (const { changes, rows } of batches) {
      for (const [shard, number, contactId, version] of changes) {
        this.#changes.set(`${shard} ${number}`, { contactId, version });
        this.#last.set(shard, Math.max(number, this.#last.get(shard) ?? 0));
      }
      for (const [contactId, version, row] of rows) {
        // The record of a contact whose row lacks a field is read.
        if ((row === null || isWhole(row)) && (this.#rows.get(contactId)?.version ?? -1) < version) {
          const contact = row === null ? undefined : contactInBatch(contactId, row);
          this.#rows.set(contactId, { version, contact });
        }
      }
    }
  }

  /** The contact as a batch has it, if that is not older than the version. */
  row({ contactId, version }: ContactChange): ChangedContact | undefined {
    const row = this.#rows.get(contactId);
    return row !== undefined && row.version >= version ? row : undefined;
  }

  /**
   * The last change of each contact after the changes of these numbers, up to the changes that the counters count. Undefined if it is not known
   * which contacts some of the changes were of.
   */
  since(numbers: ChangeNumbers, shards: readonly ShardChanges[]): ContactChange[] | undefined {
    const last = new Map<string, ContactChange>();
    for (const { shard, count, latest } of shards) {
      const from = numbers[shard] ?? 0;
      if (count < from) {
        return undefined;
      }
      for (let number = from + 1; number <= count; number += 1) {
        const change = latest[count - number] ?? this.#changes.get(`${shard} ${number}`);
        if (change === undefined) {
          return undefined;
        }
        last.set(change.contactId, change);
      }
    }
    return [...last.values()];
  }

  /**
   * The numbers of the last changes after these up to which batches have all. Undefined if they have later changes than one that is missing.
   */
  reached(numbers: ChangeNumbers): ChangeNumbers | undefined {
    const reached = numbers.map((from, shard) => {
      let number = from;
      while (this.#changes.has(`${shard} ${number + 1}`)) {
        number += 1;
      }
      return number;
    });
    return reached.some((number, shard) => (this.#last.get(shard) ?? 0) > number) ? undefined : reached;
  }
}

/** Pauses while a transaction becomes visible item by item: in the background, where nobody waits. */
export const pausesForRecords = [5, 10, 20, 40, 80, 160];

/** A contact after a change, as its record has it. */
export interface ChangedRecord {
  /** The version of the record: that of the change, or a later one. */
  readonly version: number;
  /** Undefined if it is in another pipeline, or archived. */
  readonly contact: StoredContact | undefined;
}

/**
 * Reads the contacts of changes, in their order. Undefined stands for one whose record does not show the change yet, or that was created
 * and has been deleted since.
 */
export async function readChangedRecords(
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
    if (record === undefined && change.version > 1) {
      // Its record was there before the change, so the contact was deleted after it, maybe in another pipeline.
      return { version: change.version + 1, contact: undefined };
    }
    if (record === undefined || record.version < change.version) {
      return undefined;
    }
    const { data, version } = record;
    const isShown = data.pipelineId === pipelineId && data.archivedAt === undefined;
    return { version, contact: isShown ? data : undefined };
  });
}
