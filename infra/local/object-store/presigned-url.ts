import { StoreError } from './errors.ts';
import type { RequestHead } from './request-head.ts';
import {
  type Access,
  amzDate,
  coveredHeaders,
  largestSkew,
  requireRequestSignature,
  signingAlgorithm,
  signingScope,
} from './signature.ts';

const oneWeek = 604_800;

export function isPresigned(query: URLSearchParams): boolean {
  return query.has('X-Amz-Algorithm') || query.has('X-Amz-Signature');
}

/** Checks the signature and the time of a presigned URL. @throws S3's error when one of them is not valid. */
export function requirePresignedUrl(head: RequestHead, access: Access): void {
  const parameter = (name: string): string => {
    const [value, ...more] = head.query.getAll(name);
    if (value !== undefined && more.length === 0) {
      return value;
    }
    throw malformed(
      'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.',
    );
  };
  if (parameter('X-Amz-Algorithm') !== signingAlgorithm) {
    throw malformed(`X-Amz-Algorithm only supports "${signingAlgorithm}"`);
  }
  const signature = parameter('X-Amz-Signature');
  const signedHeaders = parameter('X-Amz-SignedHeaders');
  const lifetime = seconds(parameter('X-Amz-Expires'));
  const signedAt = parameter('X-Amz-Date');
  const start = amzDate(signedAt);
  if (!start) {
    throw malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
  }
  const scope = signingScope(parameter('X-Amz-Credential'), signedAt, access, (defect) =>
    malformed(`Error parsing the X-Amz-Credential parameter; ${defect}`),
  );
  requireValidNow(start, lifetime, access.now);
  const covered = coveredHeaders(signedHeaders, head.headers);
  const payloadHash = head.query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD';
  requireRequestSignature({ head, signedHeaders: covered, payloadHash, signedAt, scope, signature });
}

function malformed(message: string): StoreError {
  return new StoreError('AuthorizationQueryParametersError', {}, message);
}

function seconds(text: string): number {
  if (!/^-?\d+$/.test(text)) {
    throw malformed('X-Amz-Expires should be a number');
  }
  const value = Number(text);
  if (value < 0) {
    throw malformed('X-Amz-Expires must be non-negative');
  }
  if (value > oneWeek) {
    throw malformed(
      `X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than ${oneWeek} seconds`,
    );
  }
  return value;
}

function requireValidNow(start: Date, lifetime: number, now: Date): void {
  const end = new Date(start.getTime() + lifetime * 1000);
  const ServerTime = now.toISOString();
  if (start.getTime() - now.getTime() > largestSkew) {
    throw new StoreError('AccessDenied', { ServerTime }, 'Request is not valid yet');
  }
  if (now > end) {
    const details = { 'X-Amz-Expires': lifetime, Expires: end.toISOString(), ServerTime };
    throw new StoreError('AccessDenied', details, 'Request has expired');
  }
}
