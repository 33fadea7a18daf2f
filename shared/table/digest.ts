import { createHash } from 'node:crypto';

/** What stands for a text as part of a key: a text may contain what a key part must not, and be longer than a key. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
