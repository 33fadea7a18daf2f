import {
  type ContactChange,
  counterShards,
  type ShardChanges,
} from '../../../../../shared/contact-aggregate/counters.ts';
import type { ChangedContact } from '../index/search-index.ts';
import { type ChangeBlock, contactInBlock } from '../stored-index.ts';

/** For each shard of the counters, the number of a change. */
export type ChangeNumbers = readonly number[];

const noChanges: ChangeNumbers = Array.from({ length: counterShards }, () => 0);

/** The number of the last change in each shard, 0 for a shard without any. */
export function numbersOf(shards: readonly ShardChanges[]): ChangeNumbers {
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

/** Which contacts changed, by the number of the change in its shard, as far as blocks and counters say. */
export class KnownChanges {
  readonly #changes = new Map<string, ContactChange>();
  readonly #rows = new Map<string, ChangedContact>();
  /** For each shard, the number of the last change in a block. */
  readonly #last = new Map<number, number>();

  constructor(blocks: readonly ChangeBlock[]) {
    for (const { changes, rows } of blocks) {
      for (const [shard, number, contactId, version] of changes) {
        this.#changes.set(`${shard} ${number}`, { contactId, version });
        this.#last.set(shard, Math.max(number, this.#last.get(shard) ?? 0));
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
   * The last change of each contact after the changes of these numbers, up to those that the counters count. Undefined if it is not known
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
   * The same as far as it is known: the latest changes may not have reached the blocks. Undefined if the blocks have later changes than one
   * that is missing.
   */
  asFarAsKnown(
    numbers: ChangeNumbers,
    shards: readonly ShardChanges[],
  ): { readonly changes: readonly ContactChange[]; readonly numbers: ChangeNumbers } | undefined {
    const reached = [...numbers];
    const last = new Map<string, ContactChange>();
    for (const { shard, count, latest } of shards) {
      let number = numbers[shard] ?? 0;
      for (; number < count; number += 1) {
        const change = latest[count - number - 1] ?? this.#changes.get(`${shard} ${number + 1}`);
        if (change === undefined) {
          break;
        }
        last.set(change.contactId, change);
      }
      if (count < number || (number < count && (this.#last.get(shard) ?? 0) > number)) {
        return undefined;
      }
      reached[shard] = number;
    }
    return { changes: [...last.values()], numbers: reached };
  }
}
