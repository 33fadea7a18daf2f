import { createHash } from 'node:crypto';

/** A digest that replaces a string in a key: the string may contain the separator, and may be longer than a key. */
export function toDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
