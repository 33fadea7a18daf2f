import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';

/** In bytes. */
export const keyLength = 32;
const lengths = { nonce: 12, tag: 16 } as const;

/** Encrypts with AES-256-GCM. Who decrypts must know the same key, and the same text that it is `bound` to. */
export function encrypted(key: Uint8Array, plain: Uint8Array, bound = ''): Buffer {
  const nonce = randomBytes(lengths.nonce);
  const encrypting = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(bound));
  return Buffer.concat([nonce, encrypting.update(plain), encrypting.final(), encrypting.getAuthTag()]);
}

/** Decrypts a text; undefined if it was encrypted with another key, or bound to another text. */
export function decrypted(key: Uint8Array, bytes: Uint8Array, bound = ''): Buffer | undefined {
  const tagAt = bytes.length - lengths.tag;
  if (tagAt < lengths.nonce) {
    return undefined;
  }
  const decrypting = createDecipheriv(cipher, key, bytes.subarray(0, lengths.nonce), {
    authTagLength: lengths.tag,
  });
  decrypting.setAAD(Buffer.from(bound)).setAuthTag(bytes.subarray(tagAt));
  const plain = decrypting.update(bytes.subarray(lengths.nonce, tagAt));
  try {
    return Buffer.concat([plain, decrypting.final()]);
  } catch {
    return undefined;
  }
}
