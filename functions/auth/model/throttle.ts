import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { hour, second } from '../../../shared/kernel/time.ts';
import type { IdentityKey } from '../../../shared/table/key.ts';
import type { Action, Change, TableWriter } from '../../../shared/table/table.ts';
import {
  afterFailure,
  blockedUntil,
  countsTowardsLimit,
  type Failures,
  limitUse,
  type Policy,
} from './login-policy.ts';

/** The database may delete a throttle some time after its failures no longer count. */
const keptFor = 3 * hour;

/** A subject whose failures are counted, such as an account or a source address. */
export interface Subject {
  readonly key: IdentityKey<never>;
  readonly policy: Policy;
  /** Until when the subject is a known network of its account, in milliseconds since the epoch. */
  readonly knownUntil?: number | undefined;
  /** The account whose sign-ins fail, if there is one: the log has their number. */
  readonly account?: Account | undefined;
}

/** The account of a user, and where it is. */
export interface Account {
  readonly organizationId: string;
  readonly userId: string;
}

/** A subject with its failures when last read. */
export interface Throttle extends Subject {
  readonly failures: Failures | undefined;
}

export type Attributes = Readonly<Record<string, unknown>> | undefined;

/** A subject with what its item says. */
export function toThrottle(subject: Subject, attributes: Attributes): Throttle {
  const { failures: count, failingSince: since, lastFailureAt: last } = attributes ?? {};
  const known = typeof count === 'number' && typeof since === 'number' && typeof last === 'number';
  return { ...subject, failures: known ? { count, since, last } : undefined };
}

/** The refusal of a subject that is blocked until this time, in milliseconds since the epoch. */
function tooManyAttempts(
  { refusal }: Policy,
  until: number,
  throttles: readonly Throttle[],
  now: Date,
): Failure {
  return new Failure('TOO_MANY_ATTEMPTS', refusal, {
    retryAfter: Math.max(1, Math.ceil((until - now.getTime()) / second)),
    limits: throttles.flatMap(({ policy, failures }) => limitUse(policy, failures, now.getTime()) ?? []),
  });
}

/** @throws a 429 `Failure` when a throttle blocks now. */
export function refuseBlocked(throttles: readonly Throttle[], now: Date): void {
  for (const { policy, failures } of throttles) {
    const until = blockedUntil(policy, failures, now.getTime());
    if (until !== undefined) {
      throw tooManyAttempts(policy, until, throttles, now);
    }
  }
}

/** Counts one for one subject. @throws a 429 `Failure` when the subject blocks. */
export async function countAttempt(
  identity: TableWriter<'identity'>,
  throttle: Throttle,
  now: Date,
): Promise<void> {
  refuseBlocked([throttle], now);
  const otherwise: Change['otherwise'] = (existing) => new ThrottleChanged(toThrottle(throttle, existing));
  try {
    // A transaction, because its token makes a repeated write count once even after other failures; `update` would count it twice.
    await identity.commit([identity.updateAction(throttle.key, { ...oneMore(throttle, now), otherwise })]);
  } catch (error) {
    if (!(error instanceof ThrottleChanged)) {
      throw error;
    }
    // Recursion ends soon: each conflict has added a failure, and few fit below the limit.
    await countAttempt(identity, error.throttle, now);
  }
}

/**
 * The actions that count one for each subject, for the transaction of what is counted. If a subject has changed since it was read in a way
 * that matters, they fail with a `VersionConflict`.
 * @throws a 429 `Failure` when a subject blocks.
 */
export function countingActions(
  identity: TableWriter<'identity'>,
  throttles: readonly Throttle[],
  now: Date,
): Action[] {
  refuseBlocked(throttles, now);
  return throttles.map((throttle) => identity.updateAction(throttle.key, oneMore(throttle, now)));
}

/** Forgets failures. */
export const forgetting = 'REMOVE failures, failingSince, lastFailureAt';

/**
 * The action for a correct password or code. It fails if the subject has begun to block since it was read, however many wrong ones came
 * at the same time. It clears the failures if the policy forgives them, and sets `more`.
 */
export function passAction(
  identity: TableWriter<'identity'>,
  throttle: Throttle,
  now: Date,
  more?: Pick<Change, 'update' | 'values'>,
): Action {
  const { key, policy, failures } = throttle;
  const unchanged = unchangedSince(failures);
  const left = policy.forgives ? undefined : failures;
  const condition: Omit<Change, 'update'> & { when: string } = {
    draws: () => limitUse(policy, left, now.getTime()),
    when: `failures < :limit OR attribute_not_exists(failures) OR (${unchanged.when})`,
    values: { limit: policy.limit, ...unchanged.values },
    otherwise(existing) {
      const current = toThrottle(throttle, existing);
      const until = current.failures === undefined ? 0 : policy.blockedUntil(current.failures);
      return tooManyAttempts(policy, until, [current], now);
    },
  };
  const update = [
    ...(more === undefined ? [] : [more.update]),
    ...(policy.forgives && failures !== undefined ? [forgetting] : []),
  ].join(' ');
  return update === ''
    ? identity.require(key, condition)
    : identity.updateAction(key, { ...condition, update, values: { ...condition.values, ...more?.values } });
}

/** Another failure was counted, or a correct password came, in between. */
class ThrottleChanged extends Error {
  readonly throttle: Throttle;

  constructor(throttle: Throttle) {
    super('The throttle changed between its read and its write');
    this.throttle = throttle;
  }
}

function oneMore(throttle: Throttle, now: Date): Omit<Change, 'otherwise'> {
  const { policy, failures, knownUntil = 0, account } = throttle;
  const at = now.getTime();
  const after = afterFailure(policy, failures, at);
  const draws = () => limitUse(policy, after, at);
  const named = account === undefined ? '' : ', organizationId = :organizationId, userId = :userId';
  const { organizationId, userId } = account ?? {};
  const names = definedOnly({ organizationId, userId });
  const expiresAt = Math.floor(Math.max(at + keptFor, at + policy.window, knownUntil) / second);
  if (countsTowardsLimit(policy, failures, at)) {
    // Adds without a condition on the count, so that simultaneous failures need no retry.
    return {
      update: `SET failures = failures + :one, lastFailureAt = :at, expiresAt = :expiresAt${named}`,
      when: 'failingSince = :since AND failures < :limit',
      values: { one: 1, at, expiresAt, since: failures.since, limit: policy.limit, ...names },
      draws,
    };
  }
  const { count, since, last } = after;
  const unchanged = unchangedSince(failures);
  return {
    update: `SET failures = :count, failingSince = :since, lastFailureAt = :last, expiresAt = :expiresAt${named}`,
    when: unchanged.when,
    values: { count, since, last, expiresAt, ...unchanged.values, ...names },
    draws,
  };
}

/** The condition that no failure was counted, and none cleared, since a throttle was read. */
function unchangedSince(failures: Failures | undefined): {
  when: string;
  values: Record<string, number>;
} {
  return failures === undefined
    ? { when: 'attribute_not_exists(failures)', values: {} }
    : {
        when: 'failures = :seenCount AND lastFailureAt = :seenLast',
        values: { seenCount: failures.count, seenLast: failures.last },
      };
}
