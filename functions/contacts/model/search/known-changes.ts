import { type ContactChange, counterShards, type ShardChanges } from '../../../../shared/board/counters.ts';
import type { ChangedContact } from './search-index.ts';
import { type ChangeBlock, contactInBlock } from './stored-index.ts';

/** For each shard of the counters, the number of a change. */
export type ChangeNumbers = readonly number[];

export const noChanges: ChangeNumbers = Array.from({ length: counterShards }, () => 0);

export function numbersOf(shards: readonly ShardChanges[]): ChangeNumbers {
  const counts = new Map(shards.map(({ shard, count }) => [shard, count]));
  return noChanges.map((_, shard) => counts.get(shard) ?? 0);
}

/** Which contacts changed, by the number of the change in its shard, as far as blocks and counters say. */
export class KnownChanges {
  readonly #changes = new Map<string, ContactChange>();
  readonly #rows = new Map<string, ChangedContact>();

  constructor(blocks: readonly ChangeBlock[]) {
    for (const { changes, rows } of blocks) {
      for (const [shard, number, contactId, version] of changes) {
        this.#changes.set(`${shard} ${number}`, { contactId, version });
      }
      for (const [contactId, version, row] of rows) {
        if ((this.#rows.get(contactId)?.version ?? -1) < version) {
          const contact = row === null ? undefined : contactInBlock(contactId, row);
          this.#rows.set(contactId, { version, contact });
        }
      }
    }
  }

  /** The contact as a block has it, if that is not older than the version. */
  row({ contactId, version }: ContactChange): ChangedContact | undefined {
    const row = this.#rows.get(contactId);
    return row !== undefined && row.version >= version ? row : undefined;
  }

  /**
   * The last change of each contact after the changes of these numbers, up to those that the counters count. Undefined if nobody says
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
}
