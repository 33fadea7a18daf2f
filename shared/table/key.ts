/** Separate key spaces: of each organization, of records outside organizations, and of records that all organizations share. */
export type Space = 'organization' | 'identity' | 'platform';

/** Where a record is in a key space. Parts are never concatenated by hand. `Data` is the type of the record. */
export interface Key<Data, S extends Space = 'organization'> {
  readonly partition: readonly string[];
  readonly sort: readonly string[];
  /** Exists only in the type. */
  readonly _data?: Data;
  readonly _space?: S;
}

export type IdentityKey<Data> = Key<Data, 'identity'>;
export type PlatformKey<Data> = Key<Data, 'platform'>;

/** A range of sort keys in one partition. */
export interface Range<Data, S extends Space = 'organization'> {
  readonly partition: readonly string[];
  /** Sort keys that start with these parts. */
  readonly under?: readonly string[];
  /** Sort keys from `from` (the first of the partition if absent) to `to`, both inclusive, compared byte by byte. */
  readonly between?: { readonly from?: string; readonly to: string };
  readonly _data?: Data;
  readonly _space?: S;
}

export type PlatformRange<Data> = Range<Data, 'platform'>;

const separator = '#';

/** Joins key parts. @throws for a part that is empty or contains the separator, because it could reach into another partition. */
export function joined(parts: readonly string[]): string {
  for (const part of parts) {
    if (part === '' || part.includes(separator)) {
      throw new Error(`A key part is empty or contains "${separator}"`);
    }
  }
  return parts.join(separator);
}

/** The reverse of `joined`. */
export function keyParts(encoded: string): string[] {
  return encoded.split(separator);
}

/** The prefix of sort keys that start with these parts and have more. */
export function keyPrefix(parts: readonly string[]): string {
  return `${joined(parts)}${separator}`;
}

/** The upper end of a range whose last sort keys start with these parts: `$` is the byte after the separator. */
export function upTo(parts: readonly string[]): string {
  return `${joined(parts)}$`;
}

/** Whether a sort key lies in a range. */
export function liesIn({ under, between }: Range<unknown, Space>, sort: string): boolean {
  if (sort === '') {
    return false;
  }
  if (between !== undefined) {
    return (between.from === undefined || sort >= between.from) && sort <= between.to;
  }
  return under === undefined || sort.startsWith(keyPrefix(under));
}

/** The names of the table's key attributes, both strings. */
export const tableKeys = { partition: 'pk', sort: 'sk' } as const;
