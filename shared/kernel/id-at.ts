import { createHash } from 'node:crypto';
import { encodeTime } from 'ulid';

/** Crockford's Base32. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Characters of an id that hold its time, and random characters. Source: the ULID specification. */
const timeLength = 10;
const randomLength = 16;

/** A new ULID. `random` returns a number in [0, 1). The package's own function would add its search for such a source to each bundle. */
export function newIdAt(time: Date, random: () => number): string {
  const characters = Array.from(
    { length: randomLength },
    () => alphabet[Math.floor(random() * alphabet.length)],
  );
  return encodeTime(time.getTime(), timeLength) + characters.join('');
}

/**
 * The id with another time: records are listed in the order of their ids, and a record may have been received before it is stored, or be
 * due later.
 */
export function idAt(time: Date, id: string): string {
  return encodeTime(time.getTime(), timeLength) + id.slice(timeLength);
}

/** The id with a time that a text always has: whoever makes it again makes the same. */
export function idFromText(time: Date, text: string): string {
  const digest = createHash('sha256').update(text).digest();
  const letters = [...digest.subarray(0, randomLength)].map((byte) => alphabet[byte % alphabet.length]);
  return encodeTime(time.getTime(), timeLength) + letters.join('');
}
