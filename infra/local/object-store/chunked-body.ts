import { createHash } from 'node:crypto';
import { StoreError } from './errors.ts';
import type { SeedSignature } from './header-authorization.ts';
import { isSignatureOf, sha256 } from './signature.ts';

const longestLine = 4096;
const emptyHash = sha256('');

/**
 * Takes an `aws-chunked` body apart: yields the content, and hands each trailer to `onTrailer`. With a `seed`, every
 * chunk (and the trailers, when there are any) must carry the signature that continues it.
 */
export async function* decodedChunks(
  body: AsyncIterable<Buffer>,
  seed: SeedSignature | undefined,
  onTrailer: (name: string, value: string) => void,
): AsyncGenerator<Buffer> {
  const reader = new ByteReader(body);
  try {
    let former = seed?.signature ?? '';
    for (;;) {
      const [, digits = '', signature = ''] =
        /^([\da-f]{1,8})(?:;chunk-signature=([\da-f]{64}))?$/i.exec(await reader.line()) ?? [];
      if (digits === '') {
        throw new StoreError('IncompleteBody');
      }
      const size = Number.parseInt(digits, 16);
      const hash = createHash('sha256');
      for await (const part of reader.take(size)) {
        if (seed) {
          hash.update(part);
        }
        yield part;
      }
      if (seed) {
        const text = ['AWS4-HMAC-SHA256-PAYLOAD', seed.signedAt, seed.scope.text, former, emptyHash];
        requireSignature([...text, hash.digest('hex')].join('\n'), seed, signature);
        former = signature;
      }
      if (size === 0) {
        break;
      }
      if ((await reader.line()) !== '') {
        throw new StoreError('IncompleteBody');
      }
    }
    await readTrailers(reader, seed, former, onTrailer);
  } finally {
    await reader.close();
  }
}

async function readTrailers(
  reader: ByteReader,
  seed: SeedSignature | undefined,
  former: string,
  onTrailer: (name: string, value: string) => void,
): Promise<void> {
  let signedText = '';
  let signature = '';
  // The last empty line is missing with some clients.
  for (let line = await reader.line(); line !== ''; line = await reader.line()) {
    const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line) ?? [];
    if (name === '') {
      throw new StoreError('MalformedTrailerError');
    }
    if (name === 'x-amz-trailer-signature') {
      signature = value.trim();
    } else {
      signedText += `${name.toLowerCase()}:${value.trim()}\n`;
      onTrailer(name.toLowerCase(), value.trim());
    }
  }
  if (seed && signedText !== '') {
    const text = ['AWS4-HMAC-SHA256-TRAILER', seed.signedAt, seed.scope.text, former, sha256(signedText)];
    requireSignature(text.join('\n'), seed, signature);
  }
}

function requireSignature(StringToSign: string, seed: SeedSignature, signature: string): void {
  if (isSignatureOf(StringToSign, seed.scope, signature)) {
    return;
  }
  throw new StoreError('SignatureDoesNotMatch', { StringToSign, SignatureProvided: signature });
}

/** Reads lines and counted bytes from a stream of buffers. */
class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next line without its end; empty at the end of the stream. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf('\n');
      if (end >= 0) {
        const line = this.#rest.toString('latin1', 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line.replace(/\r$/, '');
      }
      if (this.#rest.length > longestLine) {
        throw new StoreError('IncompleteBody');
      }
      const more = await this.#next();
      if (!more) {
        return '';
      }
      this.#rest = Buffer.concat([this.#rest, more]);
    }
  }

  async *take(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0; ) {
      if (this.#rest.length === 0) {
        const more = await this.#next();
        if (!more) {
          throw new StoreError('IncompleteBody');
        }
        this.#rest = more;
      }
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  }

  /** Lets go of the stream, wherever it is. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #next(): Promise<Buffer | undefined> {
    const { done, value } = await this.#source.next();
    return done ? undefined : value;
  }
}
