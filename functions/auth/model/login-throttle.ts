import { sourceNetwork } from '../../../shared/kernel/http/source-address.ts';
import { day, second } from '../../../shared/kernel/time.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import type { IdentityKey } from '../../../shared/table/key.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';
import { throttleKey } from './credentials.ts';
import { accountPolicy, addressPolicy } from './login-policy.ts';
import {
  type Account,
  type Attributes,
  countAttempt,
  forgetting,
  passAction,
  type Throttle,
  toThrottle,
} from './throttle.ts';

/** How long a network stays known to an account after a login from it. */
const knownFor = 90 * day;

/** A login from a known network extends that, but not each login: simultaneous ones would wait for each other. */
const extendedAfter = 30 * day;

/** The subjects that are read of a login, in this order: its account, whether it exists or not, its source address, and both together. */
export function loginThrottleKeys(emailDigest: string, sourceIp: string) {
  const network = sourceNetwork(sourceIp);
  return [
    throttleKey('ACCOUNT', emailDigest),
    throttleKey('ADDRESS', network),
    throttleKey('KNOWN', toDigest(JSON.stringify([emailDigest, network]))),
  ] as const;
}

export interface LoginThrottles {
  /** The throttles that the login counts for. */
  readonly counting: readonly Throttle[];
  /** The account together with the source network. */
  readonly network: IdentityKey<never>;
  /** Whether the account has signed in from this network within the last 90 days. */
  readonly isKnown: boolean;
}

/**
 * A login counts for its source address, and for its account or, from a network that the account has signed in from before, for
 * the two together: so a stranger's wrong passwords do not lock out the user.
 * @param read the attributes at the keys of `loginThrottleKeys`.
 * @param owner the owner of the account; undefined if there is no such account.
 */
export function loginThrottles(
  [account, address, network]: ReturnType<typeof loginThrottleKeys>,
  read: readonly Attributes[],
  owner: Account | undefined,
  now: Date,
): LoginThrottles {
  const { knownUntil } = read[2] ?? {};
  const isKnown = typeof knownUntil === 'number' && knownUntil > now.getTime();
  return {
    counting: [
      isKnown
        ? toThrottle({ key: network, policy: accountPolicy, knownUntil, account: owner }, read[2])
        : toThrottle({ key: account, policy: accountPolicy, account: owner }, read[0]),
      toThrottle({ key: address, policy: addressPolicy }, read[1]),
    ],
    network,
    isKnown,
  };
}

/** The action for who proves to be the user in another way than by a login: makes the network known, and forgets failed logins from it. */
export function knownNetworkAction(
  identity: TableWriter<'identity'>,
  emailDigest: string,
  sourceIp: string,
  now: Date,
): Action {
  const [, , network] = loginThrottleKeys(emailDigest, sourceIp);
  return identity.updateAction(network, {
    update: `${remembering} ${forgetting}`,
    values: knownFrom(now),
  });
}

const remembering = 'SET knownUntil = :knownUntil, expiresAt = :expiresAt';

function knownFrom(now: Date) {
  const knownUntil = now.getTime() + knownFor;
  return { knownUntil, expiresAt: Math.floor(knownUntil / second) };
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

/**
 * The actions for a correct password that opens a session. They fail if a subject has begun to block since it was read, however many
 * wrong passwords came at the same time. They also clear the account's failures, and make the network known to the account.
 */
export function successActions(
  identity: TableWriter<'identity'>,
  { counting, network, isKnown }: LoginThrottles,
  now: Date,
): Action[] {
  const known = { update: remembering, values: knownFrom(now) };
  const actions = counting.map((throttle) => {
    const { knownUntil } = throttle;
    const isStale = knownUntil !== undefined && known.values.knownUntil - knownUntil > extendedAfter;
    return passAction(identity, throttle, now, isStale ? known : undefined);
  });
  return isKnown ? actions : [...actions, identity.updateAction(network, known)];
}

/** As `successActions`, for a correct password that opens no session by itself. */
export function passwordActions(
  identity: TableWriter<'identity'>,
  { counting }: LoginThrottles,
  now: Date,
): Action[] {
  return counting.map((throttle) => passAction(identity, throttle, now));
}
