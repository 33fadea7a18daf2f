import { Failure } from '../kernel/failure.ts';
import { remember } from '../kernel/remember.ts';
import { epochSeconds, hour, minute, second } from '../kernel/time.ts';
import type { IdentityKey } from '../table/key.ts';
import type { Change, TableWriter } from '../table/table.ts';

/**
 * What a user may spend on expensive reading, in read units of the table: `atOnce` after a pause, and `eachSecond` in the long run. A
 * search through 100,000 contacts takes up to 405 in a process that has cached nothing.
 */
export const allowance = { atOnce: 30_000, eachSecond: 60 };

/** Units below which nothing is written: a process adds up what cheaper requests of a user take. */
const writtenFrom = 100;

/** Milliseconds that a user waits at most, however much was spent at the same time. */
const longestWait = 10 * minute;

/** What a process knows of a user. */
interface Account {
  /** Units that are not written yet. */
  readonly unwritten: number;
  /** Milliseconds since 1970 until which the user's allowance is spent; in the past if all of it is there. */
  readonly spentUntil: number;
}

/** Users that a process knows. */
const capacity = 10_000;
const accounts = new Map<string, Account>();
const nothingSpent: Account = { unwritten: 0, spentUntil: 0 };

/** Limits what one user may spend. */
export interface Spending {
  /**
   * Does the work, and takes what the invocation has read from the user's allowance.
   * @throws a 429 `Failure` instead while the user has none left, as far as this process knows: each process finds out by the
   * first request that it charges.
   */
  limited<Result>(userId: string, work: () => Promise<Result>): Promise<Result>;
  /** Also takes units for something other than reading. */
  add(units: number): void;
}

/** The limit in one invocation. `unitsRead` tells what it has read so far; `known` are the accounts of the process. */
export function spending(
  identity: TableWriter<'identity'>,
  unitsRead: () => number,
  now: Date,
  known: Map<string, Account> = accounts,
): Spending {
  let added = 0;
  return {
    async limited(userId, work) {
      requireAllowance(known.get(userId), now);
      try {
        return await work();
      } finally {
        await charge(identity, known, userId, unitsRead() + added, now);
      }
    },
    add(units) {
      added += units;
    },
  };
}

/** Milliseconds until this many units are available again. */
const timeFor = (units: number) => (units * second) / allowance.eachSecond;

function requireAllowance({ spentUntil }: Account = nothingSpent, now: Date): void {
  const wait = Math.min(spentUntil - now.getTime() - timeFor(allowance.atOnce), longestWait);
  if (wait > 0) {
    throw new Failure(
      'TOO_MANY_ATTEMPTS',
      'You have read too many contacts in a short time. Wait before the next request.',
      { retryAfter: Math.ceil(wait / second) },
    );
  }
}

/** Takes units from the user's allowance. What cannot be written now is taken with the next request. */
async function charge(
  identity: TableWriter<'identity'>,
  known: Map<string, Account>,
  userId: string,
  units: number,
  now: Date,
): Promise<void> {
  const accountOf = () => known.get(userId) ?? nothingSpent;
  const keep = (change: Partial<Account>) => remember(known, userId, { ...accountOf(), ...change }, capacity);
  const due = accountOf().unwritten + units;
  if (due < writtenFrom) {
    keep({ unwritten: due });
    return;
  }
  keep({ unwritten: 0 });
  try {
    const written = await write(identity, userId, due, accountOf().spentUntil > now.getTime(), now);
    keep({ spentUntil: Math.max(written, accountOf().spentUntil) });
  } catch {
    // The request is done: it does not fail because its price could not be written.
    keep({ unwritten: accountOf().unwritten + due });
  }
}

/** The record is of the other kind than expected: with, or without, something spent. */
class OtherKind extends Error {}

/** Adds units to what the user has spent. @returns until when the allowance is spent. */
async function write(
  identity: TableWriter<'identity'>,
  userId: string,
  units: number,
  hasSpent: boolean,
  now: Date,
): Promise<number> {
  const change = hasSpent ? spendMore(units, now) : spendFirst(units, now);
  try {
    const { spentUntil } = await identity.update(spendingKey(userId), {
      ...change,
      otherwise: () => new OtherKind(),
    });
    return Number(spentUntil);
  } catch (error) {
    if (!(error instanceof OtherKind)) {
      throw error;
    }
    return write(identity, userId, units, !hasSpent, now);
  }
}

function spendFirst(units: number, now: Date): Change {
  const at = now.getTime();
  return {
    update: 'SET spentUntil = :until, expiresAt = :expiresAt',
    when: 'attribute_not_exists(spentUntil) OR spentUntil <= :now',
    values: { until: at + timeFor(units), now: at, expiresAt: expiryAfter(at + timeFor(units)) },
  };
}

function spendMore(units: number, now: Date): Change {
  const at = now.getTime();
  return {
    update: 'SET spentUntil = spentUntil + :more, expiresAt = :expiresAt',
    when: 'spentUntil > :now',
    values: {
      more: timeFor(units),
      now: at,
      expiresAt: expiryAfter(at + timeFor(units + allowance.atOnce) + longestWait),
    },
  };
}

/** When the database may delete a record that is of no use after this time. */
const expiryAfter = (milliseconds: number) => epochSeconds(new Date(milliseconds + hour));

export const spendingKey = (userId: string): IdentityKey<never> => ({
  partition: ['SPENDING', userId],
  sort: ['SPENDING'],
});
