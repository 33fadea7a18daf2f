import type { IncomingMessage } from 'node:http';
import { objectAttributes } from './attributes.ts';
import { announcedChecksum, verifiedChunks } from './checksums.ts';
import { StoreError } from './errors.ts';
import type { Draft, Objects } from './objects.ts';
import { postForm } from './post-form.ts';
import { requirePostPolicy, type SizeRange } from './post-policy.ts';
import { requireShortKey, uriEncoded } from './request-head.ts';
import type { Access } from './signature.ts';
import { type Answer, checksumHeaders } from './write-object.ts';
import { element, xmlDocument } from './xml.ts';

/** The upload of a browser form. `location` is the URL of the bucket. */
export async function postObject(
  request: IncomingMessage,
  bucket: string,
  location: string,
  objects: Objects,
  access: Access,
): Promise<Answer> {
  const form = await postForm(request);
  try {
    const { fields } = form;
    const size = requirePostPolicy(fields, bucket, access);
    const key = requiredKey(fields);
    const attributes = objectAttributes(fields);
    const checksum = announcedChecksum(fields);
    const expected = { md5: fields.get('content-md5'), checksum };
    const content = verifiedChunks(limited(form.file, size), expected);
    await using draft = await objects.receive(content);
    await draft.publish(bucket, { key, ...attributes, checksum, lastModified: access.now.toISOString() });
    const answer = postAnswer(fields, bucket, key, draft, location);
    return { ...answer, headers: { ...answer.headers, ...checksumHeaders(checksum) } };
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

function postAnswer(
  fields: ReadonlyMap<string, string>,
  bucket: string,
  key: string,
  draft: Draft,
  location: string,
): Answer {
  const Location = `${location}/${uriEncoded(key)}`;
  const headers = { etag: draft.etag, location: Location };
  const redirect = URL.parse(fields.get('success_action_redirect') ?? fields.get('redirect') ?? '');
  if (redirect) {
    redirect.searchParams.append('bucket', bucket);
    redirect.searchParams.append('key', key);
    redirect.searchParams.append('etag', draft.etag);
    return { status: 303, headers: { ...headers, location: redirect.href } };
  }
  const status = fields.get('success_action_status');
  if (status !== '201') {
    return { status: status === '200' ? 200 : 204, headers };
  }
  const content = Object.entries({ Location, Bucket: bucket, Key: key, ETag: draft.etag });
  return {
    status: 201,
    headers,
    body: xmlDocument(
      'PostResponse',
      content.map(([name, text]) => element(name, text)),
    ),
  };
}
