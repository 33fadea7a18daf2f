import { Failure } from '../../../shared/kernel/failure.ts';
import { after, epochSeconds, hour, second } from '../../../shared/kernel/time.ts';
import type { IdentityKey } from '../../../shared/table/key.ts';
import type { Change, Step, TableWriter } from '../../../shared/table/table.ts';
import { throttleKey } from './credentials.ts';
import {
  accountPolicy,
  addressPolicy,
  addsUp,
  afterFailure,
  blockedUntil,
  type Failures,
  type Policy,
} from './login-policy.ts';
import { sourceNetwork } from './source-address.ts';

/** The database may delete a throttle some time after its failures no longer count. */
const keptFor = 3 * hour;

/** An account or a source address whose failed logins are counted. */
interface Subject {
  readonly key: IdentityKey<never>;
  readonly policy: Policy;
}

/** A subject with its failures when last read. */
interface Throttle extends Subject {
  readonly failures: Failures | undefined;
}

/** A login counts for its account, whether it exists or not, and for its source address. */
export function throttledSubjects(emailDigest: string, sourceIp: string): Subject[] {
  return [
    { key: throttleKey('ACCOUNT', emailDigest), policy: accountPolicy },
    { key: throttleKey('ADDRESS', sourceNetwork(sourceIp)), policy: addressPolicy },
  ];
}

export function throttleOf(
  subject: Subject,
  attributes: Readonly<Record<string, unknown>> | undefined,
): Throttle {
  const { failures: count, failingSince: since, lastFailureAt: last } = attributes ?? {};
  const known = typeof count === 'number' && typeof since === 'number' && typeof last === 'number';
  return { key: subject.key, policy: subject.policy, failures: known ? { count, since, last } : undefined };
}

function tooManyAttempts(until: number, now: Date): Failure {
  return new Failure('TOO_MANY_ATTEMPTS', 'Too many failed logins. Wait before the next attempt.', {
    retryAfter: Math.max(1, Math.ceil((until - now.getTime()) / second)),
  });
}

/** @throws a 429 `Failure` when a throttle blocks now. */
export function refuseBlocked(throttles: readonly Throttle[], now: Date): void {
  for (const { policy, failures } of throttles) {
    const until = blockedUntil(policy, failures, now.getTime());
    if (until !== undefined) {
      throw tooManyAttempts(until, now);
    }
  }
}

/**
 * Counts a failed login, with one write for each subject. If a subject blocks meanwhile, as in most parallel bursts, the failure
 * is not counted but refused like a correct password: so the responses to a burst show nothing.
 * @throws a 429 `Failure` when a subject blocks meanwhile.
 */
export async function countFailure(
  identity: TableWriter<'identity'>,
  throttles: readonly Throttle[],
  now: Date,
): Promise<void> {
  const outcomes = await Promise.allSettled(throttles.map((throttle) => countOne(identity, throttle, now)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
}

async function countOne(identity: TableWriter<'identity'>, throttle: Throttle, now: Date): Promise<void> {
  refuseBlocked([throttle], now);
  const otherwise: Change['otherwise'] = (existing) => new Moved(throttleOf(throttle, existing));
  try {
    // A transaction, because its token makes a repetition count once even after other failures: `update` would not.
    await identity.commit([identity.updateStep(throttle.key, { ...oneMore(throttle, now), otherwise })]);
  } catch (error) {
    if (!(error instanceof Moved)) {
      throw error;
    }
    // Recursion ends soon: each conflict has added a failure, and few fit below the limit.
    await countOne(identity, error.throttle, now);
  }
}

/** Another failure was counted, or a correct password came, in between. */
class Moved extends Error {
  readonly throttle: Throttle;

  constructor(throttle: Throttle) {
    super('The throttle changed between its read and its write');
    this.throttle = throttle;
  }
}

function oneMore({ policy, failures }: Throttle, now: Date): Omit<Change, 'otherwise'> {
  const at = now.getTime();
  const expiresAt = epochSeconds(after(now, keptFor));
  if (addsUp(policy, failures, at)) {
    // Adds without a condition on the count, so that simultaneous failures need no retry.
    return {
      update: 'SET failures = failures + :one, lastFailureAt = :at, expiresAt = :expiresAt',
      when: 'failingSince = :since AND failures < :limit',
      values: { one: 1, at, expiresAt, since: failures.since, limit: policy.limit },
    };
  }
  const { count, since, last } = afterFailure(policy, failures, at);
  const unchanged = unchangedSince(failures);
  return {
    update: 'SET failures = :count, failingSince = :since, lastFailureAt = :last, expiresAt = :expiresAt',
    when: unchanged.when,
    values: { count, since, last, expiresAt, ...unchanged.values },
  };
}

function unchangedSince(failures: Failures | undefined): { when: string; values: Record<string, number> } {
  return failures === undefined
    ? { when: 'attribute_not_exists(failures)', values: {} }
    : {
        when: 'failures = :seenCount AND lastFailureAt = :seenLast',
        values: { seenCount: failures.count, seenLast: failures.last },
      };
}

/**
 * The steps for a correct password. They fail if a subject has begun to block since it was read, however many wrong passwords
 * came at the same time. They also clear the account's failures.
 */
export function successSteps(
  identity: TableWriter<'identity'>,
  throttles: readonly Throttle[],
  now: Date,
): Step[] {
  return throttles.map((throttle) => {
    const { key, policy, failures } = throttle;
    const unchanged = unchangedSince(failures);
    const condition: Omit<Change, 'update'> = {
      when: `failures < :limit OR attribute_not_exists(failures) OR (${unchanged.when})`,
      values: { limit: policy.limit, ...unchanged.values },
      otherwise(existing) {
        const current = throttleOf(throttle, existing).failures;
        return tooManyAttempts(current === undefined ? 0 : policy.blockedUntil(current), now);
      },
    };
    return policy.forgives && failures !== undefined
      ? identity.updateStep(key, { ...condition, update: 'REMOVE failures, failingSince, lastFailureAt' })
      : identity.require(key, condition);
  });
}
