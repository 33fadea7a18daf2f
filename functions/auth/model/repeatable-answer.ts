import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Repeatable } from './sessions.ts';

const cipher = 'aes-256-gcm';

/** In bytes. */
const lengths = { key: 32, nonce: 12, tag: 16 } as const;

/**
 * An answer with tokens that is given again to a request with the same refresh token and the same idempotency key, and to no other:
 * it is sealed with a key made of the two, of which neither is stored. So nobody can read it in the table.
 */
export function repeatable<Answer>(
  answer: Answer,
  refreshToken: string,
  idempotencyKey: string,
): Repeatable<Answer> {
  const key = Buffer.from(
    hkdfSync('sha256', refreshToken, idempotencyKey, 'answer to a refresh', lengths.key),
  );
  return {
    answer,
    seal(one) {
      const nonce = randomBytes(lengths.nonce);
      const sealing = createCipheriv(cipher, key, nonce);
      const text = deflateRawSync(JSON.stringify(one));
      return Buffer.concat([nonce, sealing.update(text), sealing.final(), sealing.getAuthTag()]);
    },
    unseal(sealed) {
      const tagAt = sealed.length - lengths.tag;
      const opening = createDecipheriv(cipher, key, sealed.subarray(0, lengths.nonce), {
        authTagLength: lengths.tag,
      });
      opening.setAuthTag(sealed.subarray(tagAt));
      const text = opening.update(sealed.subarray(lengths.nonce, tagAt));
      try {
        opening.final();
      } catch {
        return undefined;
      }
      return JSON.parse(inflateRawSync(text).toString());
    },
  };
}
