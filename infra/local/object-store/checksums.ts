import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { StoreError } from './errors.ts';

interface RunningChecksum {
  update(bytes: Buffer): unknown;
  digest(): Buffer;
}

const algorithms: Record<string, { bytes: number; start(): RunningChecksum }> = {
  crc32: { bytes: 4, start: () => cyclicCheck(crc32) },
  crc32c: { bytes: 4, start: () => cyclicCheck(crc32c) },
  sha1: { bytes: 20, start: () => createHash('sha1') },
  sha256: { bytes: 32, start: () => createHash('sha256') },
};

/** A checksum of the content that a client gave, or announced: `value` is in base64, absent until the trailer came. */
export interface ContentChecksum {
  algorithm: string;
  value?: string;
}

/**
 * The one `x-amz-checksum-` header of a request, or the one that its `x-amz-trailer` announces. Throws when there are
 * several, when the algorithm is not known, and when the value cannot be a checksum of its algorithm.
 */
export function announcedChecksum(headers: ReadonlyMap<string, string>): ContentChecksum | undefined {
  const given = [...headers]
    .filter(([name]) => name.startsWith('x-amz-checksum-') && !/-(?:mode|algorithm|type)$/.test(name))
    .map(([name, value]) => contentChecksum(name, value));
  const trailer = headers.get('x-amz-trailer')?.trim().toLowerCase();
  if (trailer !== undefined) {
    given.push(contentChecksum(trailer));
  }
  if (given.length > 1) {
    throw new StoreError(
      'InvalidRequest',
      {},
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    );
  }
  const wanted = headers.get('x-amz-sdk-checksum-algorithm')?.toLowerCase();
  if (wanted !== undefined && given.length === 0) {
    throw new StoreError(
      'InvalidRequest',
      {},
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    );
  }
  if (wanted !== undefined && wanted !== given[0]?.algorithm) {
    throw new StoreError('InvalidRequest', {}, 'Value for x-amz-sdk-checksum-algorithm header is invalid.');
  }
  return given[0];
}

/** What a header or trailer such as `x-amz-checksum-crc32` says; without a value, what it will be about. */
export function contentChecksum(name: string, value?: string): ContentChecksum {
  const algorithm = /^x-amz-checksum-(.+)$/.exec(name)?.[1] ?? '';
  const known = Object.hasOwn(algorithms, algorithm) ? algorithms[algorithm] : undefined;
  if (!known) {
    throw new StoreError('NotImplemented', { Header: name }, `The checksum ${name} is not supported here.`);
  }
  if (value === undefined) {
    return { algorithm };
  }
  if (!isBase64Of(value, known.bytes)) {
    throw new StoreError('InvalidRequest', {}, `Value for ${name} header is invalid.`);
  }
  return { algorithm, value };
}

/** Everything that a client said about the bytes of its body. */
export interface Expected {
  /** `Content-MD5`, in base64. */
  md5?: string | undefined;
  /** `x-amz-content-sha256` when it is a hash, in hexadecimal. */
  sha256?: string | undefined;
  checksum?: ContentChecksum | undefined;
}

/** Passes `chunks` on and throws at their end when they are not what the client said. */
export async function* verifiedChunks(
  chunks: AsyncIterable<Buffer>,
  expected: Expected,
): AsyncGenerator<Buffer> {
  const { md5, checksum } = expected;
  if (md5 !== undefined && !isBase64Of(md5, 16)) {
    throw new StoreError('InvalidDigest', { 'Content-MD5': md5 });
  }
  const runningMd5 = md5 === undefined ? undefined : createHash('md5');
  const runningSha256 = expected.sha256 === undefined ? undefined : createHash('sha256');
  const running = checksum && algorithms[checksum.algorithm]?.start();
  for await (const chunk of chunks) {
    runningMd5?.update(chunk);
    runningSha256?.update(chunk);
    running?.update(chunk);
    yield chunk;
  }
  const sha256 = runningSha256?.digest('hex');
  if (sha256 !== expected.sha256) {
    throw new StoreError('XAmzContentSHA256Mismatch', {
      ClientComputedContentSHA256: expected.sha256 ?? '',
      S3ComputedContentSHA256: sha256 ?? '',
    });
  }
  const actualMd5 = runningMd5?.digest('base64');
  if (actualMd5 !== md5) {
    throw new StoreError('BadDigest', { ExpectedDigest: md5 ?? '', CalculatedDigest: actualMd5 ?? '' });
  }
  if (checksum && running?.digest().toString('base64') !== checksum.value) {
    const name = checksum.algorithm.toUpperCase();
    throw new StoreError('BadDigest', {}, `The ${name} you specified did not match the calculated checksum.`);
  }
}

function isBase64Of(text: string, bytes: number): boolean {
  const decoded = Buffer.from(text, 'base64');
  return decoded.length === bytes && decoded.toString('base64') === text;
}

function cyclicCheck(next: (bytes: Buffer, former: number) => number): RunningChecksum {
  let value = 0;
  return {
    update(bytes) {
      value = next(bytes, value);
    },
    digest() {
      const digest = Buffer.alloc(4);
      digest.writeUInt32BE(value);
      return digest;
    },
  };
}

/** Remainders of every byte by the Castagnoli polynomial, bits reversed. */
const castagnoli = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) {
    remainder = (remainder >>> 1) ^ (remainder & 1 ? 0x82f63b78 : 0);
  }
  return remainder;
});

function crc32c(bytes: Buffer, former: number): number {
  let value = ~former;
  for (const byte of bytes) {
    value = (value >>> 8) ^ (castagnoli[(value ^ byte) & 0xff] ?? 0);
  }
  return ~value >>> 0;
}
