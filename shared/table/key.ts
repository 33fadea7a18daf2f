/** Key spaces, none of which reaches into another: of each organization, of what crosses them, of what they all share. */
export type Space = 'organization' | 'identity' | 'platform';

/** Where a record lies, inside a key space. Parts are never concatenated by hand. `Data` is the type of what lies there. */
export interface Key<Data, S extends Space = 'organization'> {
  readonly partition: readonly string[];
  readonly sort: readonly string[];
  /** Only a type: what lies at the key. */
  readonly _data?: Data;
  readonly _space?: S;
}

export type IdentityKey<Data> = Key<Data, 'identity'>;
export type PlatformKey<Data> = Key<Data, 'platform'>;

/** A run of neighbouring sort keys in one partition. */
export interface Range<Data, S extends Space = 'organization'> {
  readonly partition: readonly string[];
  /** Sort keys that start with these parts. */
  readonly under?: readonly string[];
  /** Sort keys from `from`, the first of the partition when absent, to `to`: both inclusive, compared byte by byte. */
  readonly between?: { readonly from?: string; readonly to: string };
  readonly _data?: Data;
  readonly _space?: S;
}

export type PlatformRange<Data> = Range<Data, 'platform'>;

const separator = '#';

/** Joins key parts. A part that is empty or holds the separator could reach into another partition: refused. */
export function joined(parts: readonly string[]): string {
  for (const part of parts) {
    if (part === '' || part.includes(separator)) {
      throw new Error(`A key part is empty or contains "${separator}"`);
    }
  }
  return parts.join(separator);
}

export function partsOf(encoded: string): string[] {
  return encoded.split(separator);
}

/** What sort keys that start with these parts, and have more, begin with. */
export function beginning(parts: readonly string[]): string {
  return `${joined(parts)}${separator}`;
}

/** The end of a run of sort keys whose last ones start with these parts: `$` follows the separator, byte by byte. */
export function upTo(parts: readonly string[]): string {
  return `${joined(parts)}$`;
}

/** The table's own keys, both texts. */
export const tableKeys = { partition: 'pk', sort: 'sk' } as const;
