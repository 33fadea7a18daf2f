import { hkdfSync } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { decrypted, encrypted, keyLength } from '../../../shared/kernel/secrets/authenticated-cipher.ts';
import type { Repeatable } from './sessions.ts';

/**
 * A response with tokens that only a request with the same refresh token and the same idempotency key gets again. A key derived from
 * these two encrypts it; neither is stored, so nobody who reads the table can read the response.
 */
export function repeatable<Response>(
  response: Response,
  refreshToken: string,
  idempotencyKey: string,
): Repeatable<Response> {
  const key = Buffer.from(hkdfSync('sha256', refreshToken, idempotencyKey, 'answer to a refresh', keyLength));
  return {
    response,
    seal: (body) => encrypted(key, deflateRawSync(JSON.stringify(body))),
    unseal(sealed) {
      const text = decrypted(key, sealed);
      return text && JSON.parse(inflateRawSync(text).toString());
    },
  };
}
