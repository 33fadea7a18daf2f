import type { IncomingMessage } from 'node:http';
import { announcedChecksum, type ContentChecksum, contentChecksum, verifiedChunks } from './checksums.ts';
import { decodedChunks } from './chunked-body.ts';
import { StoreError } from './errors.ts';
import type { SeedSignature } from './header-authorization.ts';

const largestUpload = 5 * 1024 ** 3;
const signedStreams = ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER'];
const unsignedStream = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';

/** The content of a request. Reading `chunks` to their end without an error means: this is what the client meant. */
export interface Payload {
  chunks: AsyncIterable<Buffer>;
  /** What the client gave as the content's checksum; complete once the chunks are read. */
  checksum: ContentChecksum | undefined;
}

/**
 * Prepares the body of an authenticated request. `seed` is the request's signature, absent for a presigned URL;
 * `headers` are those that the signature covers.
 */
export function receivedPayload(
  request: IncomingMessage,
  headers: ReadonlyMap<string, string>,
  seed: SeedSignature | undefined,
): Payload {
  const hash = headers.get('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD';
  const isSignedStream = signedStreams.includes(hash) && seed !== undefined;
  const isStream = isSignedStream || hash === unsignedStream;
  const isHash = /^[\da-f]{64}$/.test(hash);
  if (!isStream && !isHash && hash !== 'UNSIGNED-PAYLOAD') {
    throw new StoreError(
      'InvalidArgument',
      { ArgumentName: 'x-amz-content-sha256', ArgumentValue: hash },
      `x-amz-content-sha256 must be UNSIGNED-PAYLOAD, ${unsignedStream}, ${signedStreams.join(', ')} or a valid sha256 value.`,
    );
  }
  const length = announcedLength(headers.get(isStream ? 'x-amz-decoded-content-length' : 'content-length'));
  const expected = {
    md5: headers.get('content-md5'),
    sha256: isHash ? hash : undefined,
    checksum: announcedChecksum(headers),
  };
  const { checksum } = expected;
  const content = isStream
    ? decodedChunks(requestBytes(request), isSignedStream ? seed : undefined, (name, value) => {
        const given = contentChecksum(name, value);
        if (given.algorithm !== checksum?.algorithm) {
          throw new StoreError('MalformedTrailerError');
        }
        Object.assign(checksum, given);
      })
    : requestBytes(request);
  return { chunks: verifiedChunks(complete(content, length, checksum), expected), checksum };
}

/** The bytes of a request. Leaving the loop early does not break the connection, so that an answer can still follow. */
export function requestBytes(request: IncomingMessage): AsyncIterable<Buffer> {
  const iterator: AsyncIterator<Buffer> = request.iterator({ destroyOnReturn: false });
  return { [Symbol.asyncIterator]: () => iterator };
}

function announcedLength(text: string | undefined): number {
  if (text === undefined || !/^\d+$/.test(text)) {
    throw new StoreError('MissingContentLength');
  }
  const length = Number(text);
  if (length <= largestUpload) {
    return length;
  }
  throw new StoreError('EntityTooLarge', { ProposedSize: length, MaxSizeAllowed: largestUpload });
}

async function* complete(
  chunks: AsyncIterable<Buffer>,
  length: number,
  checksum: ContentChecksum | undefined,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > length) {
      throw new StoreError('IncompleteBody');
    }
    yield chunk;
  }
  if (size !== length) {
    throw new StoreError('IncompleteBody');
  }
  if (checksum && checksum.value === undefined) {
    throw new StoreError('MalformedTrailerError');
  }
}
