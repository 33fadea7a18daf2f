import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Repeatable } from './sessions.ts';

const cipher = 'aes-256-gcm';

/** In bytes. */
const lengths = { key: 32, nonce: 12, tag: 16 } as const;

/**
 * A response with tokens that only a request with the same refresh token and the same idempotency key gets again. A key derived from
 * these two encrypts it; neither is stored, so nobody who reads the table can read the response.
 */
export function repeatable<Response>(
  response: Response,
  refreshToken: string,
  idempotencyKey: string,
): Repeatable<Response> {
  const key = Buffer.from(
    hkdfSync('sha256', refreshToken, idempotencyKey, 'answer to a refresh', lengths.key),
  );
  return {
    response,
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
