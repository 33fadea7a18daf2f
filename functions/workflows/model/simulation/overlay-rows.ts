import { parseJson } from '../../../../shared/kernel/exact-numbers.ts';
import { joined, type Key, liesIn, type Range, type Space } from '../../../../shared/table/key.ts';
import type { Stored, TableReader } from '../../../../shared/table/table.ts';
import type { Attributes } from './expressions.ts';

/** A write of a simulation at a key; without data and attributes of a record that it has deleted. */
export interface OverlayRow {
  readonly key: Key<unknown, Space>;
  readonly sort: string;
  readonly record: HeldRecord | undefined;
}

export interface HeldRecord {
  readonly data: unknown;
  /** Beside the data: `version`, `expiresAt`, `bytes`, and those of updates. */
  readonly attributes: Attributes;
}

/** The rows that a simulation has written, by their keys, over the records of a table. */
export class OverlayRows<S extends Space> {
  readonly #reader: TableReader<S>;
  readonly #partitions = new Map<string, Map<string, OverlayRow>>();

  constructor(reader: TableReader<S>) {
    this.#reader = reader;
  }

  at(key: Key<unknown, S>): OverlayRow | undefined {
    return this.#partitions.get(joined(key.partition))?.get(joined(key.sort));
  }

  set(key: Key<unknown, S>, record: HeldRecord | undefined): void {
    const partition = joined(key.partition);
    const rows = this.#partitions.get(partition) ?? new Map<string, OverlayRow>();
    const sort = joined(key.sort);
    rows.set(sort, { key: key as Key<unknown, Space>, sort, record });
    this.#partitions.set(partition, rows);
  }

  /** The rows of a range, those of deleted records too, in no order. */
  in(range: Range<unknown, S>): OverlayRow[] {
    const rows = this.#partitions.get(joined(range.partition))?.values() ?? [];
    return [...rows].filter(({ sort }) => liesIn(range, sort));
  }

  /** The records at these keys as they are now, written or only read, by the texts of their keys. */
  async current(keys: readonly Key<unknown, S>[]): Promise<Map<string, HeldRecord | undefined>> {
    const unwritten = keys.filter((key) => this.at(key) === undefined);
    const read = unwritten.length === 0 ? [] : await this.#reader.readMany(unwritten);
    const records = new Map(keys.map((key) => [keyText(key), this.at(key)?.record]));
    for (const [index, key] of unwritten.entries()) {
      records.set(keyText(key), recordOf(read[index]));
    }
    return records;
  }
}

export const keyText = ({ partition, sort }: Key<unknown, Space>): string =>
  `${joined(partition)} ${joined(sort)}`;

const recordOf = (stored: Stored<unknown, Space> | undefined): HeldRecord | undefined =>
  stored && { data: stored.data, attributes: stored.attributes ?? {} };

/** The record as a reader of the table gets it; its own copy. */
export function storedRecord<Data, S extends Space>({
  key,
  record,
}: OverlayRow): Stored<Data, S> | undefined {
  if (record === undefined) {
    return undefined;
  }
  const { data, attributes } = record;
  return {
    key: key as Key<Data, S>,
    data: (data === undefined ? undefined : parseJson(JSON.stringify(data))) as Data,
    version: Number(attributes.version ?? 0),
    attributes,
  };
}
