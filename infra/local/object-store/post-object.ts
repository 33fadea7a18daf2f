import type { IncomingMessage } from 'node:http';
import { keptHeaders } from './attributes.ts';
import { StoreError } from './errors.ts';
import { requireImplementedForm } from './not-implemented.ts';
import type { Objects } from './objects.ts';
import { postForm } from './post-form.ts';
import { requirePostPolicy, type SizeRange } from './post-policy.ts';
import { requireShortKey, uriEncoded } from './request-head.ts';
import type { Access } from './signature.ts';
import type { StoreResponse } from './store-response.ts';

/** The upload of a browser form. `location` is the URL of the bucket. */
export async function postObject(
  request: IncomingMessage,
  bucket: string,
  location: string,
  objects: Objects,
  access: Access,
): Promise<StoreResponse> {
  const form = await postForm(request);
  try {
    const { fields } = form;
    const size = requirePostPolicy(fields, bucket, access);
    requireImplementedForm(fields);
    const key = requiredKey(fields);
    const headers = keptHeaders(fields);
    await using draft = await objects.receive(limited(form.file, size));
    await draft.publish(bucket, { key, headers, lastModified: access.now.toISOString() });
    return {
      status: 204,
      headers: {
        etag: draft.etag,
        location: `${location}/${uriEncoded(key)}`,
        'x-amz-version-id': draft.version,
      },
    };
  } finally {
    form.discard();
  }
}

function requiredKey(fields: ReadonlyMap<string, string>): string {
  const key = fields.get('key') ?? '';
  if (key === '') {
    throw new StoreError(
      'InvalidArgument',
      { ArgumentName: 'key', ArgumentValue: '' },
      "Bucket POST must contain a field named 'key'.  If it is specified, please check the order of the fields.",
    );
  }
  requireShortKey(key);
  return key;
}

async function* limited(chunks: AsyncIterable<Buffer>, { min, max }: SizeRange): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > max) {
      throw new StoreError('EntityTooLarge', { ProposedSize: size, MaxSizeAllowed: max });
    }
    yield chunk;
  }
  if (size < min) {
    throw new StoreError('EntityTooSmall', { ProposedSize: size, MinSizeAllowed: min });
  }
}
