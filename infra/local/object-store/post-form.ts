import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { StoreError } from './errors.ts';
import { readRequestBytes } from './request-head.ts';

const longestFields = 20_480;

/** A browser's upload form, read up to its file. */
export interface PostForm {
  /** The fields before the file, by lower-case name. */
  fields: ReadonlyMap<string, string>;
  /** The content of the file; reading it fails at the end unless the whole form is well-formed. */
  file: AsyncIterable<Buffer>;
  /** Reads and discards the rest, so that the connection stays usable. */
  discard(): void;
}

/** Reads a multipart form up to its field `file`. Fields after the file are ignored, as by S3. */
export async function postForm(request: IncomingMessage): Promise<PostForm> {
  const parser = formParser(request);
  const fields = new Map<string, string>();
  const found = Promise.withResolvers<PostForm>();
  let file: Readable | undefined;
  let refusal: Error | undefined;
  let size = 0;

  function refuse(error: Error): void {
    refusal ??= error;
    found.reject(error);
  }
  parser.on('field', (fieldName: string | undefined, value, _isNameCut, isValueCut) => {
    if (file) {
      return;
    }
    const name = (fieldName ?? '').toLowerCase();
    size += name.length + Buffer.byteLength(value);
    if (isValueCut || size > longestFields) {
      refuse(new StoreError('MaxPostPreDataLengthExceededError'));
    } else if (fields.has(name)) {
      refuse(new StoreError('InvalidArgument', { ArgumentName: name }, 'The form has this field twice.'));
    } else {
      fields.set(name, value);
    }
  });
  parser.on('file', (_name, stream) => {
    file = stream;
    // Without a listener, an error while nobody reads would end the process. A reader gets it in any case.
    stream.on('error', () => undefined);
    if (refusal) {
      stream.resume();
    }
    found.resolve({
      fields,
      file: completeFile(stream, parsed),
      discard: () => stream.resume(),
    });
  });
  const parsed = parse(request, parser);
  parsed.then(
    () => {
      const ArgumentName = 'file';
      const message = 'POST requires exactly one file upload per request.';
      refuse(new StoreError('InvalidArgument', { ArgumentName, ArgumentValue: 0 }, message));
    },
    (error: Error) => {
      refuse(error);
      file?.destroy(error);
    },
  );
  return found.promise;
}

function formParser(request: IncomingMessage): BusboyInstance {
  if (request.headers['content-length'] === undefined) {
    throw new StoreError('MissingContentLength');
  }
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    throw new StoreError('PreconditionFailed', {
      Condition: 'Bucket POST must be of the enclosure-type multipart/form-data',
    });
  }
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      limits: { fieldSize: longestFields, files: 1 },
      isPartAFile: (name) => name?.toLowerCase() === 'file',
    });
  } catch {
    throw new StoreError('MalformedPOSTRequest');
  }
}

async function parse(request: IncomingMessage, parser: BusboyInstance): Promise<void> {
  const finished = Promise.withResolvers<void>();
  parser.on('finish', finished.resolve);
  parser.on('error', () => finished.reject(new StoreError('MalformedPOSTRequest')));
  async function feed(): Promise<void> {
    for await (const chunk of readRequestBytes(request)) {
      if (!parser.write(chunk)) {
        await Promise.race([once(parser, 'drain'), finished.promise]);
      }
    }
    parser.end();
  }
  await Promise.all([feed(), finished.promise]);
}

async function* completeFile(file: Readable, parsed: Promise<void>): AsyncGenerator<Buffer> {
  try {
    yield* file.iterator({ destroyOnReturn: false });
  } catch {
    await parsed; // Rejects with the reason: the form or the connection breaks off.
    throw new StoreError('MalformedPOSTRequest');
  }
  await parsed;
}
