import { randomFillSync } from 'node:crypto';

// Random bytes are generated in advance, because a call for a few bytes costs more than the bytes.
const reserve = Buffer.alloc(4096);
let used = reserve.length;

/** This many random bytes as text; at most 4,096. */
export function randomText(bytes: number, encoding: 'base64url' | 'hex'): string {
  if (used + bytes > reserve.length) {
    randomFillSync(reserve);
    used = 0;
  }
  used += bytes;
  return reserve.toString(encoding, used - bytes, used);
}
