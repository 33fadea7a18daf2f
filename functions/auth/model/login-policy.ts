import { day, minute } from '../../../shared/kernel/time.ts';

/** Failed logins that still count, with times in milliseconds since the epoch. */
export interface Failures {
  readonly count: number;
  /** When the first of them happened. */
  readonly since: number;
  readonly last: number;
}

/** The limit for failed logins. Source: decisions 3, "Login throttle". */
export interface Policy {
  /** The number of failures that blocks further attempts. */
  readonly limit: number;
  /** Milliseconds within which fewer failures add up. */
  readonly window: number;
  /** When `limit` or more failures stop blocking. */
  blockedUntil(failures: Failures): number;
  /** When `limit` or more failures no longer count. */
  forgottenAt(failures: Failures): number;
  /** Whether a correct password clears the failures. */
  readonly forgives: boolean;
  /** Why further attempts are refused, for the client. */
  readonly refusal: string;
}

const refusal = 'Too many failed logins. Wait before the next attempt.';

/** For 1 minute, then 2, 4, 8… after each further failure, up to about an hour. */
const growingBlock =
  (limit: number): Policy['blockedUntil'] =>
  ({ count, last }) =>
    last + Math.min(2 ** (count - limit), 64) * minute;

/** Failures count for 15 minutes after a block. */
export const accountPolicy: Policy = {
  limit: 5,
  window: 15 * minute,
  blockedUntil: growingBlock(5),
  forgottenAt: (failures) => accountPolicy.blockedUntil(failures) + 15 * minute,
  forgives: true,
  refusal,
};

/**
 * For codes of a second factor, which have only six digits. Whoever guesses them has the password, and may have years: within a day
 * there are about 25 guesses.
 */
export const codePolicy: Policy = {
  limit: 10,
  window: day,
  blockedUntil: growingBlock(10),
  forgottenAt: ({ last }) => last + day,
  forgives: true,
  refusal: 'Too many wrong codes. Wait before the next attempt.',
};

/** Blocks for the rest of a window that begins with the first of what it counts. */
export function windowPolicy(limit: number, window: number, refusal: string): Policy {
  const end: Policy['blockedUntil'] = ({ since }) => since + window;
  return { limit, window, blockedUntil: end, forgottenAt: end, forgives: false, refusal };
}

/** A correct password clears nothing, because an attacker may have an account too; many users may share an address. */
export const addressPolicy = windowPolicy(20, 5 * minute, refusal);

/** When the next attempt is allowed; undefined if it is allowed at `at`. */
export function blockedUntil(policy: Policy, failures: Failures | undefined, at: number): number | undefined {
  if (failures === undefined || failures.count < policy.limit) {
    return undefined;
  }
  const until = policy.blockedUntil(failures);
  return until > at ? until : undefined;
}

/** When failures no longer count. */
function countUntil(policy: Policy, failures: Failures): number {
  return failures.count < policy.limit ? failures.since + policy.window : policy.forgottenAt(failures);
}

/** Whether another failure only adds to those below the limit. */
export function countsTowardsLimit(
  policy: Policy,
  failures: Failures | undefined,
  at: number,
): failures is Failures {
  return failures !== undefined && failures.count < policy.limit && at < countUntil(policy, failures);
}

/** The failures with one more, at a moment that is not blocked. */
export function afterFailure(policy: Policy, failures: Failures | undefined, at: number): Failures {
  return failures !== undefined && at < countUntil(policy, failures)
    ? { count: failures.count + 1, since: failures.since, last: at }
    : { count: 1, since: at, last: at };
}
