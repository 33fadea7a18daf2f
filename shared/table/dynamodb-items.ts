import { type Packed, packed, unpacked } from '../kernel/packing.ts';
import { epochSeconds } from '../kernel/time.ts';
import { joined, type Key, keyParts, type Space } from './key.ts';
import type { PutOptions, Stored } from './table.ts';

export interface Item {
  pk: string;
  sk: string;
  data?: Packed;
  version?: number;
  [attribute: string]: unknown;
}

/** The primary key of a record in a key space. */
export const primaryKeyIn =
  (space: readonly string[]) =>
  ({ partition, sort }: Key<unknown, Space>) => ({ pk: joined([...space, ...partition]), sk: joined(sort) });

/** The item of a record; without a version, of an entry that only accompanies one. */
export function toItem(
  primaryKey: { pk: string; sk: string },
  data: unknown,
  { version, expiresAt, bytes }: PutOptions & { version?: number },
): Record<string, unknown> {
  const expires = expiresAt && epochSeconds(expiresAt);
  return { ...primaryKey, data: packed(data), version, expiresAt: expires, bytes };
}

/** The record of an item, for a key space whose partitions begin with `space`. */
export function recordIn<Data, S extends Space>(space: readonly string[], item: Item): Stored<Data, S> {
  return {
    key: { partition: keyParts(item.pk).slice(space.length), sort: keyParts(item.sk) },
    data: item.data === undefined ? (undefined as Data) : unpacked<Data>(item.data),
    version: item.version ?? 0,
    attributes: item,
  };
}
