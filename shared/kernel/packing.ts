import { gunzipSync, gzipSync } from 'node:zlib';
import { parseJson } from './exact-numbers.ts';

/**
 * A record's data, stored as one JSON attribute and gzipped if that saves enough. Native maps would change odd keys, deep nesting
 * and large numbers, and store all field names in each record.
 */
export type Packed = string | Uint8Array;

/** In characters of JSON; below this, gzip saves too little for its work. */
const worthZipping = 800;

/** Up to here, in characters of JSON, a window of 4 KB finds nearly as much, and zlib need not clear 256 KB for each record. */
const small = { upTo: 3_000, settings: { windowBits: 12, memLevel: 5 } };

export function packed(data: unknown): Packed {
  const json = JSON.stringify(data);
  if (json.length < worthZipping) {
    return json;
  }
  const zipped = gzipSync(json, json.length > small.upTo ? undefined : small.settings);
  return zipped.length < json.length ? zipped : json;
}

export function unpacked<Data>(stored: Packed): Data {
  return parseJson(typeof stored === 'string' ? stored : gunzipSync(stored).toString('utf8')) as Data;
}
