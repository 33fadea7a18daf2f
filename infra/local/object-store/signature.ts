import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { StoreError } from './errors.ts';
import { type RequestHead, uriEncoded } from './request-head.ts';

/** The credentials that may use the store, its region, and the current time. */
export interface Access {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  now: Date;
}

export const signingAlgorithm = 'AWS4-HMAC-SHA256';

/** By how many milliseconds the clocks of a client and of the store may differ. */
export const largestSkew = 15 * 60_000;

/** The scope of a signature, `20260131/eu-central-1/s3/aws4_request`, and the key that signs within it. */
export interface SigningScope {
  text: string;
  key: Buffer;
}

/**
 * The signing scope of a credential (`keyId/date/region/service/aws4_request`) for this store.
 * @throws InvalidAccessKeyId for an unknown key, and the error that `malformed` makes for any other defect.
 */
export function signingScope(
  credential: string,
  signedAt: string,
  access: Access,
  malformed: (text: string) => StoreError,
): SigningScope {
  const [, accessKeyId, date, region, service] =
    /^(.+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request$/.exec(credential) ?? [];
  if (accessKeyId === undefined || date === undefined || service !== 's3') {
    throw malformed('the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/s3/aws4_request".');
  }
  if (accessKeyId !== access.accessKeyId) {
    throw new StoreError('InvalidAccessKeyId', { AWSAccessKeyId: accessKeyId });
  }
  if (region !== access.region) {
    throw malformed(`the region '${region}' is wrong; expecting '${access.region}'`);
  }
  if (!signedAt.startsWith(date)) {
    throw malformed(
      `Invalid credential date "${date}". This date is not the same as X-Amz-Date: "${signedAt}".`,
    );
  }
  const key = [date, region, service, 'aws4_request'].reduce<Buffer | string>(
    (former, part) => createHmac('sha256', former).update(part).digest(),
    `AWS4${access.secretAccessKey}`,
  );
  return { text: `${date}/${region}/${service}/aws4_request`, key: Buffer.from(key) };
}

/** @throws SignatureDoesNotMatch unless `signature` is that of the request, signed at `signedAt` in this scope. */
export function requireRequestSignature(signed: {
  head: RequestHead;
  signedHeaders: string[];
  payloadHash: string;
  signedAt: string;
  scope: SigningScope;
  signature: string;
}): void {
  const CanonicalRequest = canonicalRequest(signed.head, signed.signedHeaders, signed.payloadHash);
  const StringToSign = [signingAlgorithm, signed.signedAt, signed.scope.text, sha256(CanonicalRequest)].join(
    '\n',
  );
  if (isSignatureFor(StringToSign, signed.scope, signed.signature)) {
    return;
  }
  throw new StoreError('SignatureDoesNotMatch', {
    StringToSign,
    SignatureProvided: signed.signature,
    CanonicalRequest,
  });
}

export function isSignatureFor(text: string, scope: SigningScope, signature: string): boolean {
  const expected = createHmac('sha256', scope.key).update(text).digest();
  const sent = Buffer.from(signature, 'hex');
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * The headers that a signature covers. @throws AccessDenied when it leaves out the host or an `x-amz-` header of the request, because a
 * change of these on the way must not go unnoticed.
 */
export function coveredHeaders(signedHeaders: string, headers: RequestHead['headers']): string[] {
  const covered = signedHeaders.split(';');
  const unsigned = [...headers.keys()].filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !covered.includes(name),
  );
  if (unsigned.length === 0) {
    return covered;
  }
  throw new StoreError(
    'AccessDenied',
    { HeadersNotSigned: unsigned.join(', ') },
    'There were headers present in the request which were not signed',
  );
}

function canonicalRequest(head: RequestHead, signedHeaders: string[], payloadHash: string): string {
  const path = head.path.split('/').map(uriEncoded).join('/');
  const query = [...head.query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [uriEncoded(name), uriEncoded(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? order(x, y) : order(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const headers = signedHeaders
    .map((name) => `${name}:${(head.headers.get(name) ?? '').replace(/ +/g, ' ')}\n`)
    .join('');
  return [head.method, path, query, headers, signedHeaders.join(';'), payloadHash].join('\n');
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The time in a basic ISO 8601 text such as `20260131T235959Z`; undefined for any other text. */
export function amzDate(text: string): Date | undefined {
  const extended = text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const date = new Date(extended === text ? Number.NaN : extended);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
