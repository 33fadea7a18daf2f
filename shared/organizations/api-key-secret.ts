import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The lengths of 32 bytes and of a CRC-32 in base 62. */
const lengths = { secret: 43, checksum: 6 };

const form = /^sbk_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** A new secret of an API key: `sbk_`, 256 random bits, and the CRC-32 of their 43 digits, by which scanners tell a secret from other texts. */
export function newApiKeySecret(): string {
  const secret = inBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), lengths.secret);
  return `sbk_${secret}${checksumOf(secret)}`;
}

/** Whether a text can be the secret of an API key. */
export function isApiKey(text: string): boolean {
  const [, secret, checksum] = form.exec(text) ?? [];
  return secret !== undefined && checksum === checksumOf(secret);
}

/** The first characters, which tell keys apart and open nothing. */
export const apiKeyPrefix = (key: string): string => key.slice(0, 12);

const checksumOf = (secret: string) => inBase62(BigInt(crc32(secret)), lengths.checksum);

function inBase62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) {
    text = `${digits[Number(rest % 62n)]}${text}`;
  }
  return text;
}
