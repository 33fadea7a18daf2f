import { minute } from '../../../shared/time.ts';

/** Failed logins that still count. Times in milliseconds since the epoch. */
export interface Failures {
  readonly count: number;
  /** The first of them. */
  readonly since: number;
  readonly last: number;
}

/** How many failed logins are too many. Source: decisions 3, "Login throttle". */
export interface Policy {
  /** Failures from which further attempts are blocked. */
  readonly limit: number;
  /** Milliseconds within which failures below the limit add up. */
  readonly window: number;
  /** Until when `limit` or more failures block. */
  blockedUntil(failures: Failures): number;
  /** When `limit` or more failures are forgotten. */
  forgottenAt(failures: Failures): number;
  /** A right password clears the failures. */
  readonly forgives: boolean;
}

/** Blocks 1 minute, then 2, 4, 8… after each further failure, up to about an hour; forgets 15 minutes after a block. */
export const accountPolicy: Policy = {
  limit: 5,
  window: 15 * minute,
  blockedUntil: ({ count, last }) => last + Math.min(2 ** (count - 5), 64) * minute,
  forgottenAt: (failures) => accountPolicy.blockedUntil(failures) + 15 * minute,
  forgives: true,
};

/** Blocks for the rest of the window: many people may share an address, and whoever guesses may have an account too. */
export const addressPolicy: Policy = {
  limit: 20,
  window: 5 * minute,
  blockedUntil: ({ since }) => since + 5 * minute,
  forgottenAt: ({ since }) => since + 5 * minute,
  forgives: false,
};

/** When an attempt may be made again; undefined when it may be made at `at`. */
export function blockedUntil(policy: Policy, failures: Failures | undefined, at: number): number | undefined {
  if (failures === undefined || failures.count < policy.limit) {
    return undefined;
  }
  const until = policy.blockedUntil(failures);
  return until > at ? until : undefined;
}

/** Until when failures count. */
function countUntil(policy: Policy, failures: Failures): number {
  return failures.count < policy.limit ? failures.since + policy.window : policy.forgottenAt(failures);
}

/** True when one more failure only adds to those below the limit. */
export function addsUp(policy: Policy, failures: Failures | undefined, at: number): failures is Failures {
  return failures !== undefined && failures.count < policy.limit && at < countUntil(policy, failures);
}

/** The failures after one more, at a moment that is not blocked. */
export function afterFailure(policy: Policy, failures: Failures | undefined, at: number): Failures {
  return failures !== undefined && at < countUntil(policy, failures)
    ? { count: failures.count + 1, since: failures.since, last: at }
    : { count: 1, since: at, last: at };
}
