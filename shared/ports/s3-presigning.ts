import { buildQueryString, escapeUri } from '@smithy/core/protocols';
import type { PresignedPost } from '../objects/objects.ts';
import { second, timestamp } from '../time.ts';
import { type Bucket, objectRequest } from './s3-bucket.ts';

/** From when a signature holds, and for how long. */
export interface Validity {
  readonly now: Date;
  readonly seconds: number;
}

/** A URL that downloads an object as a file of this name and type. */
export async function downloadUrl(
  bucket: Bucket,
  key: string,
  { name, type, now, seconds }: Validity & { name: string; type: string },
): Promise<string> {
  const query = {
    // RFC 6266 with the encoding of RFC 8187: no name can end the parameter, or the header. Text that is no valid
    // Unicode cannot be encoded at all, and loses what makes it so.
    'response-content-disposition': `attachment; filename*=UTF-8''${escapeUri(name.toWellFormed())}`,
    'response-content-type': type,
  };
  // Becomes a parameter of the URL, as all of AWS's own headers do.
  const headers = { 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' };
  const signed = await bucket.signer.presign(objectRequest(bucket, 'GET', key, { query, headers }), {
    signingDate: now,
    expiresIn: seconds,
  });
  return `${bucket.url.origin}${signed.path}?${buildQueryString(signed.query ?? {})}`;
}

/** A form that stores one file of exactly this key and type, with 1 to `maxBytes` bytes; the file is its last field. */
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
    // A field that no condition names is refused, so the form can say nothing else of the object.
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
