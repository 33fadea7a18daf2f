import { buildQueryString, escapeUri } from '@smithy/core/protocols';
import { second, timestamp } from '../../kernel/time.ts';
import type { PresignedPost } from '../../objects/objects.ts';
import { type Bucket, objectRequest } from './s3-bucket.ts';

/** The start of a signature's validity, and its length. */
export interface Validity {
  readonly now: Date;
  readonly seconds: number;
}

/** A URL that downloads an object as a file with this name and type. */
export async function downloadUrl(
  bucket: Bucket,
  key: string,
  { name, type, now, seconds }: Validity & { name: string; type: string },
): Promise<string> {
  const query = {
    // RFC 6266 with the encoding of RFC 8187: no name can end the parameter or the header. A name that is not valid Unicode
    // cannot be encoded and is repaired first.
    'response-content-disposition': `attachment; filename*=UTF-8''${escapeUri(name.toWellFormed())}`,
    'response-content-type': type,
  };
  // Becomes a parameter of the URL, like all of AWS's own headers.
  const headers = { 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' };
  const signed = await bucket.signer.presign(objectRequest(bucket, 'GET', key, { query, headers }), {
    signingDate: now,
    expiresIn: seconds,
  });
  return `${bucket.url.origin}${signed.path}?${buildQueryString(signed.query ?? {})}`;
}

/** A form that uploads one file of 1 to `maxBytes` bytes with exactly this key and type. The file is its last field. */
export async function presignedPost(
  { name, url, region, credentials, signer }: Bucket,
  key: string,
  { type, maxBytes, now, seconds }: Validity & { type: string; maxBytes: number },
): Promise<PresignedPost> {
  const date = timestamp(now).replaceAll(/[-:]|\.\d+/g, '');
  const signed = {
    key,
    'Content-Type': type,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${credentials.accessKeyId}/${date.slice(0, 8)}/${region}/s3/aws4_request`,
    'X-Amz-Date': date,
    ...(credentials.sessionToken && { 'X-Amz-Security-Token': credentials.sessionToken }),
  };
  const policy = {
    expiration: timestamp(new Date(now.getTime() + seconds * second)),
    // S3 refuses a field without a condition, so the form cannot set anything else.
    conditions: [
      { bucket: name },
      ['content-length-range', 1, maxBytes],
      ...Object.entries(signed).map(([field, value]) => ({ [field]: value })),
    ],
  };
  const encoded = Buffer.from(JSON.stringify(policy)).toString('base64');
  const signature = await signer.sign(encoded, { signingDate: now });
  return {
    method: 'POST',
    url: url.href,
    fields: { ...signed, Policy: encoded, 'X-Amz-Signature': signature },
  };
}
