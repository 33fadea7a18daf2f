import { Failure } from './failure.ts';

const transient = new Set([
  'ConditionalRequestConflict',
  'InternalServerError',
  'InternalFailure',
  'ServiceUnavailable',
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestTimeout',
  'ThrottlingException',
  'TimeoutError',
  'AbortError',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Whether the same request may succeed later: after throttling, a timeout, or an endpoint that does not respond. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  const { code, $metadata } = error as { code?: string; $metadata?: { httpStatusCode?: number } };
  return (
    transient.has(error.name) ||
    (code !== undefined && transient.has(code)) ||
    ($metadata?.httpStatusCode ?? 0) >= 500
  );
}

/** A 503. `cause` is only for the log; the body does not show it. */
export function unavailable(cause: unknown): Failure {
  return new Failure('UNAVAILABLE', 'The service is busy. Try again shortly.', { retryAfter: 1, cause });
}
