import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { StoreError } from './errors.ts';

interface RunningChecksum {
  update(bytes: Buffer): unknown;
  digest(): Buffer;
}

const algorithms: Readonly<Record<string, () => RunningChecksum>> = {
  crc32: runningCrc32,
  sha256: () => createHash('sha256'),
};

/** A checksum of the content from the client, in base64. */
export interface ContentChecksum {
  algorithm: string;
  value: string;
}

/** The checksum in `x-amz-checksum-crc32` or `x-amz-checksum-sha256`, if there is one. */
export function givenChecksum(headers: ReadonlyMap<string, string>): ContentChecksum | undefined {
  const [checksum] = Object.keys(algorithms).flatMap((algorithm) => {
    const value = headers.get(`x-amz-checksum-${algorithm}`);
    return value === undefined ? [] : [{ algorithm, value }];
  });
  return checksum;
}

/** The response headers with the checksum. */
export function checksumHeaders(checksum: ContentChecksum | undefined): Record<string, string> {
  if (checksum === undefined) {
    return {};
  }
  return {
    [`x-amz-checksum-${checksum.algorithm}`]: checksum.value,
    'x-amz-checksum-type': 'FULL_OBJECT',
  };
}

/**
 * Passes `chunks` on. @throws at their end when they do not match the SHA-256, in hexadecimal, or the checksum of the client.
 */
export async function* verifyChunks(
  chunks: AsyncIterable<Buffer>,
  sha256: string,
  checksum: ContentChecksum | undefined,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const running = checksum && algorithms[checksum.algorithm]?.();
  for await (const chunk of chunks) {
    hash.update(chunk);
    running?.update(chunk);
    yield chunk;
  }
  const actual = hash.digest('hex');
  if (actual !== sha256) {
    throw new StoreError('XAmzContentSHA256Mismatch', {
      ClientComputedContentSHA256: sha256,
      S3ComputedContentSHA256: actual,
    });
  }
  if (checksum && running?.digest().toString('base64') !== checksum.value) {
    const name = checksum.algorithm.toUpperCase();
    throw new StoreError('BadDigest', {}, `The ${name} you specified did not match the calculated checksum.`);
  }
}

function runningCrc32(): RunningChecksum {
  let value = 0;
  return {
    update(bytes) {
      value = crc32(bytes, value);
    },
    digest() {
      const digest = Buffer.alloc(4);
      digest.writeUInt32BE(value);
      return digest;
    },
  };
}
