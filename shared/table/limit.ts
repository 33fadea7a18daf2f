import { Failure } from '../kernel/failure.ts';
import type { LimitPolicy, LimitUse } from '../kernel/limit-policy.ts';
import { after, day, epochSeconds, second } from '../kernel/time.ts';
import type { Key, Space } from './key.ts';
import type { Action, Change, TableWriter } from './table.ts';

/** How much of something may be used in a period. The native attribute `used` of the record at the key counts it. */
export interface Limit<S extends Space = 'organization'> {
  /** The key of the period's record. */
  readonly key: Key<never, S>;
  readonly most: number;
  /** When the period ends; undefined for one without an end. */
  readonly until: Date | undefined;
  /** Why more is refused, for the client. */
  readonly refusal: string;
  /** The limit as responses announce it; its quota, if `most` is not the whole. */
  readonly announced?: { readonly policy: LimitPolicy; readonly quota?: number };
}

/** More than what a limit allows: a 429 until its period ends, and a 403 if it has no end, because waiting does not help. */
export class LimitReached extends Failure {
  readonly limit: Limit<Space>;

  constructor(limit: Limit<Space>, now: Date) {
    const { until, refusal } = limit;
    if (until === undefined) {
      super('FORBIDDEN', refusal);
    } else {
      const wait = Math.ceil((until.getTime() - now.getTime()) / second);
      super('TOO_MANY_ATTEMPTS', refusal, {
        retryAfter: Math.max(1, wait),
        limits: limitUses(limit, 0),
      });
    }
    this.limit = limit;
  }
}

/** What is left, as a response announces it; nothing for a limit that is not announced. */
function limitUses({ announced, most, until }: Limit<Space>, remaining: number): LimitUse[] {
  return announced === undefined
    ? []
    : [
        {
          ...{ policy: announced.policy, quota: announced.quota ?? most, remaining },
          resetsAt: until?.getTime(),
        },
      ];
}

/** Counts an amount by itself. @throws `LimitReached` beyond the limit. */
export async function countUse<S extends Space>(
  table: TableWriter<S>,
  limit: Limit<S>,
  now: Date,
  amount = 1,
): Promise<void> {
  const { announced, most } = limit;
  const remaining = (used: unknown) => Math.max(0, (announced?.quota ?? most) - Number(used));
  await table.update(limit.key, {
    ...countingChange(limit, now, amount),
    draws: (written) => limitUses(limit, remaining(written?.used))[0],
  });
}

/** The action that counts an amount in the transaction of what it is used for. @throws `LimitReached`, when committed, beyond the limit. */
export function countingAction<S extends Space>(
  table: TableWriter<S>,
  limit: Limit<S>,
  now: Date,
  amount = 1,
): Action {
  return table.updateAction(limit.key, countingChange(limit, now, amount));
}

function countingChange(limit: Limit<Space>, now: Date, amount: number): Change {
  const { most, until } = limit;
  return {
    update: `${until === undefined ? '' : 'SET expiresAt = :expiresAt '}ADD used :amount`,
    when: 'attribute_not_exists(used) OR used <= :room',
    values: {
      amount,
      room: most - amount,
      // For a while after its period, a counter shows what happened.
      ...(until !== undefined && { expiresAt: epochSeconds(after(until, day)) }),
    },
    otherwise: () => new LimitReached(limit, now),
  };
}
