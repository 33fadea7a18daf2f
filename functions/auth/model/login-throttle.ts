import { sourceNetwork } from '../../../shared/auth/source-address.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { day, hour, second } from '../../../shared/kernel/time.ts';
import { digestOf } from '../../../shared/table/digest.ts';
import type { IdentityKey } from '../../../shared/table/key.ts';
import type { Action, Change, TableWriter } from '../../../shared/table/table.ts';
import { throttleKey } from './credentials.ts';
import {
  accountPolicy,
  addressPolicy,
  afterFailure,
  blockedUntil,
  countsTowardsLimit,
  type Failures,
  type Policy,
} from './login-policy.ts';

/** The database may delete a throttle some time after its failures no longer count. */
const keptFor = 3 * hour;

/** How long a network stays known to an account after a login from it. */
const knownFor = 90 * day;

/** A login from a known network extends that, but not each login: simultaneous ones would wait for each other. */
const extendedAfter = 30 * day;

/** A subject whose failures are counted, such as an account or a source address. */
export interface Subject {
  readonly key: IdentityKey<never>;
  readonly policy: Policy;
  /** Until when the subject is a known network of its account, in milliseconds since the epoch. */
  readonly knownUntil?: number | undefined;
}

/** A subject with its failures when last read. */
export interface Throttle extends Subject {
  readonly failures: Failures | undefined;
}

type Attributes = Readonly<Record<string, unknown>> | undefined;

/** What is read of a login, in this order: its account, whether it exists or not, its source address, and both together. */
export function throttleKeysOf(emailDigest: string, sourceIp: string) {
  const network = sourceNetwork(sourceIp);
  return [
    throttleKey('ACCOUNT', emailDigest),
    throttleKey('ADDRESS', network),
    throttleKey('KNOWN', digestOf(JSON.stringify([emailDigest, network]))),
  ] as const;
}

export interface LoginThrottles {
  /** The throttles that the login counts for. */
  readonly counting: readonly Throttle[];
  /** The account together with the source network. */
  readonly network: IdentityKey<never>;
}

/**
 * A login counts for its source address, and for its account or, from a network that the account has signed in from before, for
 * the two together: so a stranger's wrong passwords do not lock out the user.
 * @param read the attributes at the keys of `throttleKeysOf`.
 */
export function loginThrottles(
  [account, address, network]: ReturnType<typeof throttleKeysOf>,
  read: readonly Attributes[],
  now: Date,
): LoginThrottles {
  const { knownUntil } = read[2] ?? {};
  const isKnown = typeof knownUntil === 'number' && knownUntil > now.getTime();
  return {
    counting: [
      isKnown
        ? throttleOf({ key: network, policy: accountPolicy, knownUntil }, read[2])
        : throttleOf({ key: account, policy: accountPolicy }, read[0]),
      throttleOf({ key: address, policy: addressPolicy }, read[1]),
    ],
    network,
  };
}

/** A subject with what its item says. */
export function throttleOf(subject: Subject, attributes: Attributes): Throttle {
  const { failures: count, failingSince: since, lastFailureAt: last } = attributes ?? {};
  const known = typeof count === 'number' && typeof since === 'number' && typeof last === 'number';
  return { ...subject, failures: known ? { count, since, last } : undefined };
}

function tooManyAttempts({ refusal }: Policy, until: number, now: Date): Failure {
  return new Failure('TOO_MANY_ATTEMPTS', refusal, {
    retryAfter: Math.max(1, Math.ceil((until - now.getTime()) / second)),
  });
}

/** @throws a 429 `Failure` when a throttle blocks now. */
export function refuseBlocked(throttles: readonly Throttle[], now: Date): void {
  for (const { policy, failures } of throttles) {
    const until = blockedUntil(policy, failures, now.getTime());
    if (until !== undefined) {
      throw tooManyAttempts(policy, until, now);
    }
  }
}

/**
 * Counts a failed login, with one write for each subject. If a subject has begun to block since it was read, as in most parallel
 * bursts, the failure is not counted but refused, as a correct password would be: so the responses to a burst reveal nothing.
 * @throws a 429 `Failure` when a subject has begun to block.
 */
export async function countFailure(
  identity: TableWriter<'identity'>,
  throttles: readonly Throttle[],
  now: Date,
): Promise<void> {
  const outcomes = await Promise.allSettled(
    throttles.map((throttle) => countAttempt(identity, throttle, now)),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
}

/** Counts one for one subject. @throws a 429 `Failure` when the subject blocks. */
export async function countAttempt(
  identity: TableWriter<'identity'>,
  throttle: Throttle,
  now: Date,
): Promise<void> {
  refuseBlocked([throttle], now);
  const otherwise: Change['otherwise'] = (existing) => new Moved(throttleOf(throttle, existing));
  try {
    // A transaction, because its token makes a repeated write count once even after other failures; `update` would count it twice.
    await identity.commit([identity.updateAction(throttle.key, { ...oneMore(throttle, now), otherwise })]);
  } catch (error) {
    if (!(error instanceof Moved)) {
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

/** Another failure was counted, or a correct password came, in between. */
class Moved extends Error {
  readonly throttle: Throttle;

  constructor(throttle: Throttle) {
    super('The throttle changed between its read and its write');
    this.throttle = throttle;
  }
}

function oneMore({ policy, failures, knownUntil = 0 }: Throttle, now: Date): Omit<Change, 'otherwise'> {
  const at = now.getTime();
  const expiresAt = Math.floor(Math.max(at + keptFor, at + policy.window, knownUntil) / second);
  if (countsTowardsLimit(policy, failures, at)) {
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
 * The actions for a correct password. They fail if a subject has begun to block since it was read, however many wrong passwords
 * came at the same time. They also clear the account's failures, and make the network known to the account.
 */
export function successActions(
  identity: TableWriter<'identity'>,
  { counting, network }: LoginThrottles,
  now: Date,
): Action[] {
  const knownUntil = now.getTime() + knownFor;
  const known = { knownUntil, expiresAt: Math.floor(knownUntil / second) };
  const remembering = 'SET knownUntil = :knownUntil, expiresAt = :expiresAt';
  const isKnown = counting.some(({ key }) => key === network);
  const actions = counting.map((throttle) => {
    const { key, policy, failures } = throttle;
    const isStale = throttle.knownUntil !== undefined && knownUntil - throttle.knownUntil > extendedAfter;
    const unchanged = unchangedSince(failures);
    const condition: Omit<Change, 'update'> & { when: string } = {
      when: `failures < :limit OR attribute_not_exists(failures) OR (${unchanged.when})`,
      values: { limit: policy.limit, ...unchanged.values },
      otherwise(existing) {
        const current = throttleOf(throttle, existing).failures;
        return tooManyAttempts(policy, current === undefined ? 0 : policy.blockedUntil(current), now);
      },
    };
    const update = [
      ...(isStale ? [remembering] : []),
      ...(policy.forgives && failures !== undefined ? ['REMOVE failures, failingSince, lastFailureAt'] : []),
    ].join(' ');
    const values = { ...condition.values, ...(isStale && known) };
    return update === ''
      ? identity.require(key, condition)
      : identity.updateAction(key, { ...condition, update, values });
  });
  return isKnown
    ? actions
    : [...actions, identity.updateAction(network, { update: remembering, values: known })];
}
