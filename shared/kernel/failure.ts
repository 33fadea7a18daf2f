import type { LimitUse } from './limit-policy.ts';

/**
 * Every error that its receiver can act on: its status and its title. The family of the operation alone chooses the shape of the
 * body. Anything else that is thrown is a defect: logged in full, answered with a bare 500.
 */
export const catalogue = {
  INVALID: { status: 400, title: 'Invalid request' },
  INVALID_TOKEN: { status: 400, title: 'Invalid token' },
  WRONG_PASSWORD: { status: 400, title: 'Wrong password' },
  WRONG_CODE: { status: 400, title: 'Wrong code' },
  NAME_TAKEN: { status: 400, title: 'Name taken' },
  INVALID_CREDENTIALS: { status: 401, title: 'Invalid email or password' },
  TOKEN_EXPIRED: { status: 401, title: 'Invalid or expired refresh token' },
  UNVERIFIED: { status: 401, title: 'Not verified' },
  FORBIDDEN: { status: 403, title: 'Forbidden' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  CONFLICT: { status: 409, title: 'Conflict' },
  RESYNC_REQUIRED: { status: 410, title: 'Reload everything' },
  TOO_LARGE: { status: 413, title: 'Request body too large' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'Idempotency-Key reused' },
  TOO_MANY_ATTEMPTS: { status: 429, title: 'Too many attempts' },
  INTERNAL: { status: 500, title: 'Internal server error' },
  UNAVAILABLE: { status: 503, title: 'Temporarily unavailable' },
} as const;

export type FailureCode = keyof typeof catalogue;

/** The shape of an operation's errors. Source: specification, "Errors". */
export type Family = 'auth' | 'plain' | 'notes' | 'calls' | 'organizations' | 'contacts';

interface FailureOptions {
  /** Replaces the catalogue's title where the contract fixes the text of `error`. */
  title?: string;
  /** Seconds until another try makes sense: the header `Retry-After`. */
  retryAfter?: number;
  /** The limits that refuse the request, and what else it would have drawn on. */
  limits?: readonly LimitUse[];
  /** The methods of the path: the header `Allow`. */
  allow?: readonly string[];
  /** Further keys of the body, such as the `contactId` of a phone number that is taken. */
  details?: Record<string, unknown>;
  /** The underlying error, for the log only. */
  cause?: unknown;
  /** Fields for the log only. */
  noted?: Readonly<Record<string, string>>;
}

/** An error for its receiver: `message` says what is wrong, where, and what to do, in fixed English. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly status: number;
  readonly title: string;
  readonly retryAfter: number | undefined;
  readonly limits: readonly LimitUse[];
  readonly allow: readonly string[] | undefined;
  readonly details: Record<string, unknown>;
  readonly noted: Readonly<Record<string, string>>;

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Failure';
    this.code = code;
    this.status = catalogue[code].status;
    this.title = options.title ?? catalogue[code].title;
    this.retryAfter = options.retryAfter;
    this.limits = options.limits ?? [];
    this.allow = options.allow;
    this.details = options.details ?? {};
    this.noted = options.noted ?? {};
  }
}

const shapes: Record<Family, (failure: Failure) => Record<string, unknown>> = {
  auth: ({ message, code }) => ({ error: message, code }),
  plain: ({ message }) => ({ success: false, message }),
  notes: ({ message, code }) => ({ success: false, message, error: code }),
  calls: ({ message }) => ({ success: false, error: message }),
  organizations: ({ title, message }) => ({ error: title, details: message }),
  contacts: ({ title, message }) => ({ error: title, message }),
};

/** The body of the response, in the shape of the family, with the details beside it. */
export function failureBody(failure: Failure, family: Family): Record<string, unknown> {
  return { ...shapes[family](failure), ...failure.details };
}

/** The same text for a record that does not exist, that belongs to another organization or that the caller may not see. */
export function notFound(what: string): Failure {
  return new Failure('NOT_FOUND', `${what} not found`);
}

/** Why a bearer token was refused. The bodies of these errors do not depend on the family. */
export type Refusal = 'invalid' | 'expired';

export const refusals: Record<Refusal, { error: string; message: string }> = {
  invalid: {
    error: 'Invalid or expired token',
    message: 'Send a valid access token as "Authorization: Bearer <token>".',
  },
  expired: { error: 'Token expired', message: 'Refresh the session or log in again.' },
};

/** A refused bearer token, thrown by the kernel and by the few operations that verify a token themselves. */
export class Refused extends Error {
  readonly reason: Refusal;

  constructor(reason: Refusal) {
    super(reason);
    this.name = 'Refused';
    this.reason = reason;
  }
}

/** Whether the client must change the request. */
export function isCorrectable(error: unknown): boolean {
  return error instanceof Refused || (error instanceof Failure && error.status < 500);
}
