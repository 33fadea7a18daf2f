import { type Quota, quotas, transactionsOnOneItem } from './quotas.ts';
import type { Use } from './recorder.ts';

/** The units that some consecutive calls of one organization consumed within an hour. */
export interface Sample {
  readonly calls: number;
  readonly uses: readonly Use[];
}

/** A limit, and how much of it is needed. */
export interface Limit {
  readonly what: string;
  /** At the scenario's rate, in the unit of the limit. */
  readonly needed: number;
  readonly limit: number;
}

/** The share of calls from which on a key counts as shared by them, not as a key of one call. */
const sharedBy = 0.04;

/**
 * Calls at this rate need this of each partition key, each item and the whole table, the scarcest first. Keys that only one call uses
 * are left out: they are spread over the table. Each shard has the mean of all that occur, because it is chance which of them is the
 * busiest in a sample.
 */
export function limitsAt(
  rate: number,
  { calls, uses: recorded }: Sample,
  { organizations = 1 }: { organizations?: number } = {},
): Limit[] {
  const uses = recorded.map(inOneHour);
  const inAll = (count: number) => (count / calls) * rate;
  const perSecond = (count: number) => inAll(count) / organizations;
  return scarcestFirst([
    ...sharedKeys(uses, calls, ({ partition }) => partition).flatMap(({ name, shards, own }) => [
      toLimit(quotas.partitionWrites, perSecond(sumUnits(own, 'writeUnits')) / shards, name),
      toLimit(quotas.partitionReads, perSecond(sumUnits(own, 'readUnits')) / shards, name),
    ]),
    ...sharedKeys(uses.filter(isInTransaction), calls, keyTextOf).map(({ name, shards, own }) => ({
      what: `transactions on ${name}`,
      needed: perSecond(own.length) / shards,
      limit: transactionsOnOneItem,
    })),
    toLimit(quotas.tableWrites, inAll(sumUnits(uses, 'writeUnits'))),
    toLimit(quotas.tableReads, inAll(sumUnits(uses, 'readUnits'))),
  ]);
}

interface SharedKey {
  readonly name: string;
  /** The number of keys it is spread over; 1 if it has no shards. */
  readonly shards: number;
  /** The use of all shards. */
  readonly own: readonly Use[];
}

/** The keys that calls share, with all shards of a key together. */
function sharedKeys(uses: readonly Use[], calls: number, keyOf: (use: Use) => string): SharedKey[] {
  return [...Map.groupBy(uses, (use) => withoutShard(keyOf(use)))]
    .filter(([, own]) => own.length / calls >= sharedBy)
    .map(([key, own]) => ({ name: nameOf(key), shards: new Set(own.map(keyOf)).size, own }));
}

/** As if no hour had ended between the calls: at the rate of a scenario, all of them are made within a second. */
const inOneHour = (use: Use): Use => ({ ...use, partition: use.partition.replace(hourAtEnd, '{time}') });

const hourAtEnd = /\d{4}-\d{2}-\d{2}T\d{2}$/;

/** Numbers at the end of a partition key or a sort key. */
const withoutShard = (place: string) => place.replaceAll(/#\d+(?=$| \/ )/g, '#{shard}');

/** How much of a quota is needed; for one key if each key has its own quota. */
export function toLimit({ name, value }: Quota, needed: number, key?: string): Limit {
  return { what: key === undefined ? name : `${name}: ${key}`, needed, limit: value };
}

/** Leaves out limits that nothing needs, and all but the scarcest of each name. */
export function scarcestFirst(limits: readonly Limit[]): Limit[] {
  const sorted = limits
    .filter(({ needed }) => needed > 0)
    .toSorted((limit, other) => shareOf(other) - shareOf(limit));
  return [...Map.groupBy(sorted, ({ what }) => what).values()].flatMap(([scarcest]) => scarcest ?? []);
}

const shareOf = ({ needed, limit }: Limit) => needed / limit;

const isInTransaction = ({ isTransaction }: Use) => isTransaction;

const keyTextOf = ({ partition, sort = '' }: Use) => `${partition} / ${sort}`;

export const sumUnits = (uses: readonly Use[], key: 'readUnits' | 'writeUnits') =>
  uses.reduce((sum, use) => sum + use[key], 0);

/** A key without the parts that differ in each run. */
function nameOf(key: string): string {
  return key
    .replace(/^ORG#[^#\s]+#?/, '')
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}(?::[\d:.]+Z)?/g, '{time}')
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, '{day}')
    .replaceAll(/\d{4}-\d{2}(?=\s|$)/g, '{month}')
    .replaceAll(/[0-9A-HJKMNP-TV-Z]{26}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '{id}')
    .replaceAll(/\+\d{8,15}/g, '{number}')
    .replace(/^$/, 'ORG#{id}');
}
