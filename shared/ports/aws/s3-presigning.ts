import { escapeUri } from '@smithy/core/protocols';
import type { PresignedPost } from '../../kernel/providers/objects.ts';
import type { Bucket } from './s3-bucket.ts';

/** A URL that downloads an object as a file with this name and type, for so many seconds from `now` on. */
export async function downloadUrl(
  { name: Bucket, load }: Bucket,
  Key: string,
  { name, type, now, seconds }: { name: string; type: string; now: Date; seconds: number },
): Promise<string> {
  const [{ client, GetObjectCommand }, { getSignedUrl }] = await Promise.all([
    load(),
    import('@aws-sdk/s3-request-presigner'),
  ]);
  const command = new GetObjectCommand({
    Bucket,
    Key,
    // RFC 6266 with the encoding of RFC 8187: no name can end the parameter or the header. A name that is not valid Unicode
    // cannot be encoded and is repaired first.
    ResponseContentDisposition: `attachment; filename*=UTF-8''${escapeUri(name.toWellFormed())}`,
    ResponseContentType: type,
  });
  return getSignedUrl(client, command, { signingDate: now, expiresIn: seconds });
}

/** A form that uploads one file of 1 to `maxBytes` bytes with exactly this key and type, for so many seconds from `now` on. Its last field is the file. */
export async function presignPost(
  { name: Bucket, load }: Bucket,
  Key: string,
  { type, maxBytes, now, seconds }: { type: string; maxBytes: number; now: Date; seconds: number },
): Promise<PresignedPost> {
  const [{ client }, { createPresignedPost }] = await Promise.all([
    load(),
    import('@aws-sdk/s3-presigned-post'),
  ]);
  // The SDK signs at the time of the machine, which is not that of the invocation.
  const config = { ...client.config, systemClockOffset: now.getTime() - Date.now() };
  // The URL names the bucket, so the form need not.
  const {
    url,
    fields: { bucket: _, ...fields },
  } = await createPresignedPost(Object.create(client, { config: { value: config } }), {
    Bucket,
    Key,
    // S3 refuses a field without a condition, so the form cannot set anything else.
    Fields: { key: Key, 'Content-Type': type },
    Conditions: [['content-length-range', 1, maxBytes]],
    Expires: seconds,
  });
  return { method: 'POST', url, fields };
}
