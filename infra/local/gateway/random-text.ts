import { randomFillSync } from 'node:crypto';

// Many at once: for a few bytes, the way to the generator costs more than the bytes.
const reserve = Buffer.alloc(4096);
let used = reserve.length;

/** Text of so many random bytes, at most 4,096. */
export function randomText(bytes: number, encoding: 'base64url' | 'hex'): string {
  if (used + bytes > reserve.length) {
    randomFillSync(reserve);
    used = 0;
  }
  used += bytes;
  return reserve.toString(encoding, used - bytes, used);
}
