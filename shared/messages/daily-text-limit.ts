import { counterShards, shardFor } from '../contact-aggregate/counters.ts';
import type { LimitPolicy } from '../kernel/limit-policy.ts';
import { day, periodEnd, utcDay } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import { countingAction, type Limit, LimitReached } from '../table/limit.ts';
import type { Action, QueryOptions, TableReader, TableWriter } from '../table/table.ts';

/**
 * Counts the texts that an organization has queued on a day (`2026-11-20`, in UTC). In shards, because transactions that change the same
 * item cancel each other; each shard has its share of the day's limit, so that together they never exceed it.
 */
export const textCounterKey = (date: string, shard: number): Key<never> => ({
  partition: ['TEXTS'],
  sort: ['QUEUED', date, String(shard)],
});

const textCounterRange = (date: string): Range<never> => ({
  partition: ['TEXTS'],
  under: ['QUEUED', date],
});

const shareOf = (limit: number, shard: number) =>
  Math.floor(limit / counterShards) + (shard < limit % counterShards ? 1 : 0);

/** The limit as responses announce it. */
export const textLimit: LimitPolicy = {
  name: 'texts',
  counts: 'Text messages that an organization queues on a day (UTC)',
  window: day,
};

/** The number of texts that the organization has queued on this day. */
export async function countQueuedOn(table: TableReader, now: Date, options?: QueryOptions): Promise<number> {
  const byShard = await countQueuedByShard(table, now, options);
  return [...byShard.values()].reduce((sum, count) => sum + count, 0);
}

/** Texts that the organization has queued on this day, by shard; a shard that has counted nothing is missing. */
export async function countQueuedByShard(
  table: TableReader,
  now: Date,
  options?: QueryOptions,
): Promise<Map<number, number>> {
  const counters = await table.list(textCounterRange(utcDay(now)), options);
  return new Map(counters.map(({ key, attributes }) => [Number(key.sort[2]), Number(attributes?.used ?? 0)]));
}

/**
 * Commits the actions that queue a text for a contact, and counts it in the same transaction.
 * @param day `queued` are the texts of the day so far, for the response to announce what is left; absent where nobody is told.
 * @throws a 429 `Failure` when the organization has used up its limit of this day; what `commit` throws.
 */
export async function commitText(
  table: TableWriter,
  actions: readonly Action[],
  {
    contactId,
    limit,
    queued,
    now,
  }: {
    readonly contactId: string;
    readonly limit: number;
    readonly queued?: number | undefined;
    readonly now: Date;
  },
): Promise<void> {
  let shard = shardFor(contactId);
  if (shareOf(limit, shard) === 0) {
    shard = await anotherShard(table, limit, now);
  }
  const draws =
    queued === undefined
      ? undefined
      : {
          ...{ policy: textLimit, quota: limit, remaining: Math.max(0, limit - queued - 1) },
          resetsAt: periodEnd(now, day).getTime(),
        };
  for (;;) {
    const share = limitOfShard(shard, limit, now);
    try {
      return await table.commit([...actions, { ...countingAction(table, share, now), draws }]);
    } catch (error) {
      if (!(error instanceof LimitReached && error.limit === share)) {
        throw error;
      }
    }
    // Ends soon: counts only grow, and without room in any shard it throws.
    shard = await anotherShard(table, limit, now);
  }
}

const limitOfShard = (shard: number, limit: number, now: Date): Limit => ({
  key: textCounterKey(utcDay(now), shard),
  most: shareOf(limit, shard),
  until: periodEnd(now, day),
  announced: { policy: textLimit, quota: limit },
  refusal: `Your organization may send ${limit} text messages a day and has sent them. Send the message after midnight UTC, or ask the operator of this service to raise the limit.`,
});

/** @throws a 429 `Failure` when no shard has room. */
async function anotherShard(table: TableReader, limit: number, now: Date): Promise<number> {
  const shard = shardWithRoom(await countQueuedByShard(table, now), limit);
  if (shard === undefined) {
    throw new LimitReached(limitOfShard(0, limit, now), now);
  }
  return shard;
}

/** A shard that may count another text by this limit of a day; undefined when the limit is used up. */
export function shardWithRoom(queued: ReadonlyMap<number, number>, limit: number): number | undefined {
  return Array.from({ length: counterShards }, (_, shard) => shard).find(
    (shard) => (queued.get(shard) ?? 0) < shareOf(limit, shard),
  );
}
