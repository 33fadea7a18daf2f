import type { LimitPolicy, LimitUse } from '../../../shared/kernel/limit-policy.ts';
import { day, hour, minute } from '../../../shared/kernel/time.ts';

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
  /** The limit as responses announce it; absent where even its existence would reveal something. */
  readonly announced?: LimitPolicy | undefined;
}

const refusal = 'Too many failed logins. Wait before the next attempt.';

/** For 1 minute, then 2, 4, 8… after each further failure, up to about an hour. */
const growingBlock =
  (limit: number): Policy['blockedUntil'] =>
  ({ count, last }) =>
    last + Math.min(2 ** (count - limit), 64) * minute;

/** The limits of signing in and up, and of invitations, as responses announce them. */
export const authLimits = {
  account: {
    name: 'login-account',
    counts:
      'Failed logins to an account; from a network that its user has logged in from, only those from there',
    quota: 5,
    window: 15 * minute,
  },
  address: {
    name: 'login-address',
    counts: 'Failed logins from one network',
    quota: 20,
    window: 5 * minute,
  },
  code: { name: 'second-factor', counts: 'Wrong codes of a user', quota: 10, window: day },
  registration: { name: 'registrations', counts: 'Registrations from one network', window: 5 * minute },
  inviting: { name: 'invitations', counts: 'Invitations of an organization', window: day },
  invited: {
    name: 'invitations-recipient',
    counts: 'Invitations to one address, by anybody',
    window: hour,
    isHidden: true,
  },
} as const satisfies Record<string, LimitPolicy>;

/** Failures count for 15 minutes after a block. */
export const accountPolicy: Policy = {
  limit: authLimits.account.quota,
  window: authLimits.account.window,
  announced: authLimits.account,
  blockedUntil: growingBlock(authLimits.account.quota),
  forgottenAt: (failures) => accountPolicy.blockedUntil(failures) + 15 * minute,
  forgives: true,
  refusal,
};

/**
 * For codes of a second factor, which have only six digits. Whoever guesses them has the password, and may have years: within a day
 * there are about 25 guesses.
 */
export const codePolicy: Policy = {
  limit: authLimits.code.quota,
  window: authLimits.code.window,
  announced: authLimits.code,
  blockedUntil: growingBlock(authLimits.code.quota),
  forgottenAt: ({ last }) => last + day,
  forgives: true,
  refusal: 'Too many wrong codes. Wait before the next attempt.',
};

/** Blocks for the rest of a window that begins with the first of what it counts. */
export function windowPolicy(
  limit: number,
  window: number,
  refusal: string,
  announced?: LimitPolicy,
): Policy {
  const end: Policy['blockedUntil'] = ({ since }) => since + window;
  return { limit, window, blockedUntil: end, forgottenAt: end, forgives: false, refusal, announced };
}

/** A correct password clears nothing, because an attacker may have an account too; many users may share an address. */
export const addressPolicy = windowPolicy(
  authLimits.address.quota,
  authLimits.address.window,
  refusal,
  authLimits.address,
);

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

/** What is left after these failures, as a response announces it; undefined for what it does not announce. */
export function limitUse(policy: Policy, failures: Failures | undefined, at: number): LimitUse | undefined {
  const { announced, limit: quota } = policy;
  const blocked = blockedUntil(policy, failures, at);
  if (announced === undefined || (announced.isHidden && blocked === undefined)) {
    return undefined;
  }
  if (blocked !== undefined) {
    return { policy: announced, quota, remaining: 0, resetsAt: blocked };
  }
  if (failures === undefined || at >= countUntil(policy, failures)) {
    return { policy: announced, quota, remaining: quota };
  }
  // After a block one attempt is allowed at a time.
  const remaining = Math.max(1, quota - failures.count);
  return { policy: announced, quota, remaining, resetsAt: countUntil(policy, failures) };
}
