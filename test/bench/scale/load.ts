import { type Quota, quotas, transactionsOnOneItem } from './quotas.ts';
import type { Use } from './recorder.ts';

/** What some calls consumed, one after the other, of the same organization within the same hour. */
export interface Sample {
  readonly calls: number;
  readonly uses: readonly Use[];
}

/** Something of which there is only so much. */
export interface Limit {
  readonly what: string;
  /** At the scenario's rate, in the unit of the limit. */
  readonly needed: number;
  readonly limit: number;
}

/** How often a key must occur among the calls to be one that they share, rather than one of each call's own. */
const sharedBy = 0.04;

/**
 * What a rate of such calls asks of each partition key, of each item and of the whole table, the scarcest first. Keys that each call has
 * for itself are left out: they are spread over the table. Of shards each has the mean of those that occur: which of many is the busiest
 * in a sample is chance.
 */
export function limitsAt(
  rate: number,
  { calls, uses }: Sample,
  { organizations = 1 }: { organizations?: number } = {},
): Limit[] {
  const inAll = (count: number) => (count / calls) * rate;
  const perSecond = (count: number) => inAll(count) / organizations;
  return scarcestFirst([
    ...sharedKeys(uses, calls, ({ partition }) => partition).flatMap(({ name, shards, own }) => [
      limitOf(quotas.partitionWrites, perSecond(sumOf(own, 'writeUnits')) / shards, name),
      limitOf(quotas.partitionReads, perSecond(sumOf(own, 'readUnits')) / shards, name),
    ]),
    ...sharedKeys(uses.filter(isInTransaction), calls, placeOf).map(({ name, shards, own }) => ({
      what: `transactions on ${name}`,
      needed: perSecond(own.length) / shards,
      limit: transactionsOnOneItem,
    })),
    limitOf(quotas.tableWrites, inAll(sumOf(uses, 'writeUnits'))),
    limitOf(quotas.tableReads, inAll(sumOf(uses, 'readUnits'))),
  ]);
}

interface SharedKey {
  readonly name: string;
  /** Over how many keys it is spread; 1 for one that has no shards. */
  readonly shards: number;
  /** Of all shards. */
  readonly own: readonly Use[];
}

/** The keys that calls share, shards of the same one together. */
function sharedKeys(uses: readonly Use[], calls: number, keyOf: (use: Use) => string): SharedKey[] {
  return [...Map.groupBy(uses, (use) => withoutShard(keyOf(use)))]
    .filter(([, own]) => own.length / calls >= sharedBy)
    .map(([key, own]) => ({ name: nameOf(key), shards: new Set(own.map(keyOf)).size, own }));
}

/** Numbers at the end of a partition key or a sort key. */
const withoutShard = (place: string) => place.replaceAll(/#\d+(?=$| \/ )/g, '#{shard}');

/** What is needed of a quota, of one key if it is a quota for each. */
export function limitOf({ name, value }: Quota, needed: number, key?: string): Limit {
  return { what: key === undefined ? name : `${name}: ${key}`, needed, limit: value };
}

/** Without what nobody needs, and of limits of the same name only the scarcest. */
export function scarcestFirst(limits: readonly Limit[]): Limit[] {
  const sorted = limits
    .filter(({ needed }) => needed > 0)
    .toSorted((one, other) => shareOf(other) - shareOf(one));
  return [...Map.groupBy(sorted, ({ what }) => what).values()].flatMap(([scarcest]) => scarcest ?? []);
}

const shareOf = ({ needed, limit }: Limit) => needed / limit;

const isInTransaction = ({ isTransaction }: Use) => isTransaction;

const placeOf = ({ partition, sort = '' }: Use) => `${partition} / ${sort}`;

export const sumOf = (uses: readonly Use[], key: 'readUnits' | 'writeUnits') =>
  uses.reduce((sum, use) => sum + use[key], 0);

/** A key without what is another in each run. */
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
