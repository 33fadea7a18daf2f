import { Failure } from '../kernel/failure.ts';
import { sourceNetwork } from '../kernel/http/source-address.ts';
import { type LimitPolicy, type LimitUse, readPolicy, requestPolicy } from '../kernel/limit-policy.ts';
import type { Meter, Requester, RequestLimits, Share } from '../kernel/ports.ts';
import { remember } from '../kernel/remember.ts';
import { epochSeconds, hour, minute, second } from '../kernel/time.ts';
import { toDigest } from '../table/digest.ts';
import type { IdentityKey } from '../table/key.ts';
import type { Change, TableWriter } from '../table/table.ts';

/**
 * Limits a user's expensive reading, in read units of the table: `atOnce` after a pause, and `eachSecond` in the long run. A
 * search through 100,000 contacts takes up to 405 in a process that has cached nothing.
 */
export const readBudget: Share = {
  atOnce: readPolicy.quota,
  eachSecond: (readPolicy.quota * second) / readPolicy.window,
};

/** Units below which nothing is written: a process adds up what cheaper requests of a user take. */
const writtenFrom = 100;

/** The part of a share from which a process writes what it has added up. Most callers never send that many to one process. */
const writtenPart = 1 / 30;

/** Milliseconds that anybody waits at most, however much was spent at the same time. */
const longestWait = 10 * minute;

/** A subject's account, as far as a process knows it: a user, or whoever shares the requests to an operation. */
interface Account {
  /** Milliseconds by which `spentUntil` is to rise that are not written yet. */
  readonly unwritten: number;
  /** Milliseconds since 1970 until which the subject's budget is spent; in the past if all of it is there. */
  readonly spentUntil: number;
}

/** Subjects that a process knows. */
const capacity = 10_000;
const accounts = new Map<string, Account>();
const nothingSpent: Account = { unwritten: 0, spentUntil: 0 };

/** How much a subject may spend, in the milliseconds in which that much comes back. */
interface RateLimit {
  readonly policy: LimitPolicy;
  readonly share: Share;
  readonly atOnce: number;
  /** A smaller price is not written, but added to what the process knows. */
  readonly writtenFrom: number;
  /** Why a request is refused, for the client. */
  readonly refusal: string;
  /** Whether none is refused after all; asked only once the budget is used up. */
  isExempt?(): Promise<boolean>;
}

const timeFor = (count: number, { eachSecond }: Share) => (count * second) / eachSecond;

const readLimit: RateLimit = {
  policy: readPolicy,
  share: readBudget,
  atOnce: timeFor(readBudget.atOnce, readBudget),
  writtenFrom: timeFor(writtenFrom, readBudget),
  refusal: 'You have read too much in a short time. Wait before the next request.',
};

/** Limits what one user may spend. */
export interface RateLimits extends RequestLimits {
  /**
   * Does the work, and takes what the invocation has read from the user's read budget.
   * @throws a 429 `Failure` instead while the user has none left, as far as this process knows: each process finds out by the
   * first request that it charges.
   */
  limitReads<Result>(userId: string, work: () => Promise<Result>): Promise<Result>;
  /** Also takes units for something other than reading. */
  chargeUnits(units: number): void;
  /**
   * Adds something, and then takes one from the share of the subject.
   * @throws a 429 `Failure` instead while the share is used up, as far as this process knows.
   */
  limitAdded<Result>(
    subject: string,
    share: Share,
    refusing: Pick<RateLimit, 'policy' | 'refusal' | 'isExempt'>,
    add: () => Promise<Result>,
  ): Promise<Result>;
}

/**
 * The limit in one invocation. `unitsRead` tells what it has read so far; `known` are the accounts of the process; `draw` gets what is
 * left for the response to announce.
 */
export function rateLimits(
  identity: TableWriter<'identity'>,
  unitsRead: () => number,
  now: Date,
  known: Map<string, Account> = accounts,
  draw: Meter['draw'] = () => undefined,
): RateLimits {
  let added = 0;
  const limitWork = async <Result>(
    subject: string,
    limit: RateLimit,
    price: () => number,
    work: () => Promise<Result>,
  ) => {
    await requireRoom(known.get(subject), limit, now);
    try {
      return await work();
    } finally {
      await charge(identity, known, subject, limit, price(), now);
      if (!limit.policy.isHidden) {
        draw(left(known.get(subject), limit, now));
      }
    }
  };
  return {
    limitReads: (userId, work) =>
      limitWork(userId, readLimit, () => timeFor(unitsRead() + added, readBudget), work),
    chargeUnits(units) {
      added += units;
    },
    limitRequests: (route, share, requester, work) =>
      limitWork(
        requesterDigest(route, requester),
        requestLimit(share, requester),
        () => timeFor(1, share),
        work,
      ),
    limitAdded(subject, share, refusing, add) {
      let price = 0;
      const addOne = async () => {
        const result = await add();
        price = timeFor(1, share);
        return result;
      };
      return limitWork(toDigest(subject), { ...sizeOf(share), ...refusing }, () => price, addOne);
    },
  };
}

function requestLimit(share: Share, { userId }: Requester): RateLimit {
  const sent =
    userId === undefined
      ? 'Too many requests of this kind have come from your network'
      : 'You have sent too many requests of this kind';
  return {
    policy: requestPolicy,
    ...sizeOf(share),
    refusal: `${sent} in a short time. Wait as many seconds as Retry-After says, then try again.`,
  };
}

function sizeOf(share: Share): Pick<RateLimit, 'share' | 'atOnce' | 'writtenFrom'> {
  const atOnce = timeFor(share.atOnce, share);
  return { share, atOnce, writtenFrom: atOnce * writtenPart };
}

/** What is left to a subject, as far as this process knows. */
function left(
  { spentUntil, unwritten }: Account = nothingSpent,
  { policy, share, atOnce }: RateLimit,
  now: Date,
): LimitUse {
  const spent = Math.max(0, spentUntil - now.getTime()) + unwritten;
  const remaining = Math.max(0, Math.floor((atOnce - spent) / timeFor(1, share)));
  const resetsAt = now.getTime() + (remaining === 0 ? Math.min(spent - atOnce, longestWait) : spent);
  return { policy: { ...policy, window: atOnce }, quota: share.atOnce, remaining, resetsAt };
}

/** Whoever shares the requests to a route, as a digest: the database need not keep addresses in plain text. */
export function requesterDigest(route: string, { userId, sourceIp }: Requester): string {
  return toDigest(JSON.stringify([route, userId ?? sourceNetwork(sourceIp)]));
}

async function requireRoom(account: Account = nothingSpent, limit: RateLimit, now: Date) {
  const wait = Math.min(account.spentUntil - now.getTime() - limit.atOnce, longestWait);
  if (wait > 0 && !(await limit.isExempt?.())) {
    const use = { ...left(account, limit, now), resetsAt: now.getTime() + wait };
    throw new Failure('TOO_MANY_ATTEMPTS', limit.refusal, {
      retryAfter: Math.ceil(wait / second),
      limits: [use],
    });
  }
}

/** Takes a price from the subject's limit. What cannot be written now is taken with the next request. */
async function charge(
  identity: TableWriter<'identity'>,
  known: Map<string, Account>,
  subject: string,
  limit: RateLimit,
  price: number,
  now: Date,
): Promise<void> {
  const accountOf = () => known.get(subject) ?? nothingSpent;
  const keep = (change: Partial<Account>) =>
    remember(known, subject, { ...accountOf(), ...change }, capacity);
  const due = accountOf().unwritten + price;
  if (due < limit.writtenFrom) {
    keep({ unwritten: due });
    return;
  }
  keep({ unwritten: 0 });
  try {
    const hasSpent = accountOf().spentUntil > now.getTime();
    const written = await write(identity, subject, due, limit, hasSpent, now);
    keep({ spentUntil: Math.max(written, accountOf().spentUntil) });
  } catch {
    // The request is done: it does not fail because its price could not be written.
    keep({ unwritten: accountOf().unwritten + due });
  }
}

/** The record is of the other kind than expected: with, or without, something spent. */
class OtherKind extends Error {}

/** Adds a price to what the subject has spent. @returns until when it is spent. */
async function write(
  identity: TableWriter<'identity'>,
  subject: string,
  price: number,
  limit: RateLimit,
  hasSpent: boolean,
  now: Date,
): Promise<number> {
  const change = hasSpent ? spendMore(price, limit, now) : spendFirst(price, now);
  try {
    const { spentUntil } = await identity.update(rateLimitKey(subject), {
      ...change,
      otherwise: () => new OtherKind(),
    });
    return Number(spentUntil);
  } catch (error) {
    if (!(error instanceof OtherKind)) {
      throw error;
    }
    return write(identity, subject, price, limit, !hasSpent, now);
  }
}

function spendFirst(price: number, now: Date): Change {
  const at = now.getTime();
  return {
    update: 'SET spentUntil = :until, expiresAt = :expiresAt',
    when: 'attribute_not_exists(spentUntil) OR spentUntil <= :now',
    values: { until: at + price, now: at, expiresAt: expiryAfter(at + price) },
  };
}

function spendMore(price: number, { atOnce }: RateLimit, now: Date): Change {
  const at = now.getTime();
  return {
    update: 'SET spentUntil = spentUntil + :more, expiresAt = :expiresAt',
    when: 'spentUntil > :now',
    values: { more: price, now: at, expiresAt: expiryAfter(at + price + atOnce + longestWait) },
  };
}

/** When the database may delete a record that is of no use after this time. */
const expiryAfter = (milliseconds: number) => epochSeconds(new Date(milliseconds + hour));

/** The parts of the key keep the name under which records are stored. */
export const rateLimitKey = (subject: string): IdentityKey<never> => ({
  partition: ['SPENDING', subject],
  sort: ['SPENDING'],
});
