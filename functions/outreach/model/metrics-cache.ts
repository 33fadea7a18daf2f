import { packed } from '../../../shared/kernel/packing.ts';
import { after, hour, minute, type Timestamp, timestamp } from '../../../shared/kernel/time.ts';
import { type BusinessHours, businessHours } from '../../../shared/organizations/business-hours.ts';
import type { Scope } from '../../../shared/organizations/visibility.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { Action, Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import type { Metrics } from './metrics.ts';

/** Source: decisions 10, "Outreach metrics". */
const keptFor = 5 * minute;

/** The most bytes of a cached result: an item of the table has 400 KB, its keys included. */
const itemRoom = 390 * 1024;

/** A result for a user and a query. */
export interface CachedMetrics extends Metrics {
  readonly computedAt: Timestamp;
  /** The user's generation at that time. */
  readonly generation: string;
  /** A digest of the user's scope at that time. */
  readonly scope: string;
}

/** The generation of a user's cache; results of any other are stale. */
export interface MetricsGeneration {
  readonly generation: string;
}

/** Until the first clearing. */
const firstGeneration = '-';

/**
 * The cache of a user for one query. It is in the user's home organization, whichever organization the query was for, so that one
 * write clears all of it.
 */
export interface MetricsCache {
  readonly generation: string;
  /** The last result, however old. */
  readonly cached: CachedMetrics | undefined;
  /** The time zone of the home organization, whose days its metrics are of. */
  readonly zone: string;
}

/** A normalized query, with everything that its result depends on. */
export type MetricsVariant = readonly unknown[];

const keyOf = (userId: string, variant: MetricsVariant) =>
  cachedMetricsKey(userId, toDigest(JSON.stringify(variant)));

/** Reads everything in one request. */
export async function readMetricsCache(
  table: TableReader,
  userId: string,
  variant: MetricsVariant,
): Promise<MetricsCache> {
  const [generation, cached, hours] = (await table.readMany<unknown>([
    metricsGenerationKey(userId),
    keyOf(userId, variant),
    businessHours.key,
  ])) as [Found<MetricsGeneration>, Found<CachedMetrics>, Found<BusinessHours>];
  return {
    generation: generation?.data.generation ?? firstGeneration,
    cached: cached?.data,
    zone: (hours?.data ?? businessHours.initial).timezone,
  };
}

/** In the order of the keys. */
type Found<Data> = Stored<Data> | undefined;

/** The cached result, unless it is too old, was cleared, or is for other days or another scope than are asked for now. */
export function freshMetrics(
  { generation, cached }: MetricsCache,
  { scope, days, now }: { readonly scope: Scope; readonly days: readonly string[]; readonly now: Date },
): CachedMetrics | undefined {
  const isFresh =
    cached !== undefined &&
    cached.generation === generation &&
    cached.scope === digestOfScope(scope) &&
    cached.byDay.length === days.length &&
    cached.byDay[0]?.date === days[0] &&
    now < after(new Date(cached.computedAt), keptFor);
  return isFresh ? cached : undefined;
}

/** The action that caches metrics; none if they are too large. */
export function cacheActions(
  table: TableWriter,
  userId: string,
  variant: MetricsVariant,
  { metrics, generation, scope, now }: { metrics: Metrics; generation: string; scope: Scope; now: Date },
): Action[] {
  const data = { ...metrics, computedAt: timestamp(now), generation, scope: digestOfScope(scope) };
  return Buffer.byteLength(packed(data)) > itemRoom
    ? []
    : [table.put(keyOf(userId, variant), data, { expiresAt: after(now, keptFor) })];
}

/** Makes the user's whole cache stale. It outlasts all cached results. */
export function clearAction(table: TableWriter, userId: string, generation: string, now: Date): Action {
  return table.put(metricsGenerationKey(userId), { generation }, { expiresAt: after(now, hour) });
}

function digestOfScope(scope: Scope): string {
  return toDigest(JSON.stringify(scope.kind === 'organization' ? scope.kind : [...scope.userIds].sort()));
}

/** The record that makes a user's whole cache stale at once. */
export const metricsGenerationKey = (userId: string): Key<MetricsGeneration> => ({
  partition: ['METRICS', userId],
  sort: ['GENERATION'],
});

export const cachedMetricsKey = (userId: string, digest: string): Key<CachedMetrics> => ({
  partition: ['METRICS', userId],
  sort: ['VARIANT', digest],
});
