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

/** Checks the `Authorization` header. @throws S3's error when the header is not valid. */
export function requireHeaderAuthorization(head: RequestHead, access: Access): void {
  const [, credential = '', signedHeaders = '', signature = ''] =
    /^AWS4-HMAC-SHA256 *Credential=([^,]+), *SignedHeaders=([^,]+), *Signature=([\da-f]+)$/.exec(
      head.headers.get('authorization') ?? '',
    ) ?? [];
  if (signature === '') {
    throw malformed(`expecting "${signingAlgorithm} Credential=…, SignedHeaders=…, Signature=…".`);
  }
  const payloadHash = head.headers.get('x-amz-content-sha256');
  if (payloadHash === undefined) {
    throw new StoreError(
      'InvalidRequest',
      {},
      'Missing required header for this request: x-amz-content-sha256',
    );
  }
  const signedAt = head.headers.get('x-amz-date') ?? '';
  const time = amzDate(signedAt);
  if (!time) {
    throw new StoreError('AccessDenied', {}, 'AWS authentication requires a valid Date or x-amz-date header');
  }
  const scope = signingScope(credential, signedAt, access, malformed);
  if (Math.abs(access.now.getTime() - time.getTime()) > largestSkew) {
    throw new StoreError('RequestTimeTooSkewed', {
      RequestTime: signedAt,
      ServerTime: access.now.toISOString(),
      MaxAllowedSkewMilliseconds: largestSkew,
    });
  }
  const covered = coveredHeaders(signedHeaders, head.headers);
  requireRequestSignature({ head, signedHeaders: covered, payloadHash, signedAt, scope, signature });
}

function malformed(defect: string): StoreError {
  return new StoreError(
    'AuthorizationHeaderMalformed',
    {},
    `The authorization header is malformed; ${defect}`,
  );
}
