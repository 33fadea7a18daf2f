import { StoreError } from './errors.ts';
import type { Objects } from './objects.ts';
import type { Payload } from './payload.ts';
import type { Answer } from './write-object.ts';
import { element, readDeleteDocument, xmlDocument } from './xml.ts';

const mostKeys = 1000;
const longestDocument = 2 * 1024 ** 2;

/** DeleteObjects: the body names at most 1,000 keys, and comes with a checksum. */
export async function deleteObjects(
  bucket: string,
  headers: ReadonlyMap<string, string>,
  payload: Payload,
  objects: Objects,
): Promise<Answer> {
  if (!payload.checksum && !headers.has('content-md5')) {
    throw new StoreError(
      'InvalidRequest',
      {},
      'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
    );
  }
  const document = readDeleteDocument(await wholeText(payload.chunks));
  if (!document || document.keys.length > mostKeys) {
    throw new StoreError('MalformedXML');
  }
  const { keys, quiet } = document;
  for (const key of keys) {
    await objects.remove(bucket, key);
  }
  const deleted = quiet ? [] : keys.map((key) => element('Deleted', [element('Key', key)]));
  return { status: 200, body: xmlDocument('DeleteResult', deleted) };
}

async function wholeText(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > longestDocument) {
      throw new StoreError('MalformedXML');
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString();
}
