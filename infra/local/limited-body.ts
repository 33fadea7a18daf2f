import type { IncomingMessage } from 'node:http';

/** The whole body of a request; undefined when it has more than `maxBytes`, and then the rest of it is not read. */
export async function readLimitedBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    return undefined;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop early must not destroy the request, because its response would be lost, too.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) {
      return undefined;
    }
  }
  return Buffer.concat(chunks);
}
