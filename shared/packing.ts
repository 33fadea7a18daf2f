import { gunzipSync, gzipSync } from 'node:zlib';

/**
 * A record's data lies in the table as one JSON attribute, gzipped where it is long enough to gain by it. Not as
 * native maps: those change odd keys, deep nesting and large numbers on the way, and cost their field names each time.
 */
export type Packed = string | Uint8Array;

/** Below this, gzip gains too little to pay for its work. In characters of JSON. */
const worthZipping = 800;

export function packed(data: unknown): Packed {
  const json = JSON.stringify(data);
  if (json.length < worthZipping) {
    return json;
  }
  const zipped = gzipSync(json);
  return zipped.length < json.length ? zipped : json;
}

export function unpacked<Data>(stored: Packed): Data {
  return JSON.parse(typeof stored === 'string' ? stored : gunzipSync(stored).toString('utf8')) as Data;
}
