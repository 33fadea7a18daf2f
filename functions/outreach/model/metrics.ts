import { nameKey } from '../../../shared/kernel/names/folded.ts';
import { type Scope, sees } from '../../../shared/organizations/visibility.ts';
import type { Stored } from '../../../shared/table/table.ts';
import { countedBy, type LeadCounts, type LeadGroup } from './lead-counting.ts';

/** The results of leads, in total and by group. */
export interface Metrics {
  readonly totals: LeadCounts;
  readonly bySource: (LeadCounts & { readonly source: string | null })[];
  /** `name` is null for a deleted configuration. */
  readonly byConfiguration: (LeadCounts & {
    readonly configurationId: string;
    readonly name: string | null;
  })[];
  /** Every day of the range, in order. */
  readonly byDay: (LeadCounts & { readonly date: string })[];
}

/** Selects leads. */
export interface MetricsFilter {
  readonly configurationId?: string | undefined;
  /** Empty for leads without a source. */
  readonly source?: string | undefined;
}

/** Adds up the counters of leads whose owner was in the scope. */
export function toMetrics(
  counters: readonly Stored<never>[],
  days: readonly string[],
  names: ReadonlyMap<string, string>,
  scope: Scope,
  filter: MetricsFilter,
): Metrics {
  const counted = counters
    .map(countedBy)
    .filter(({ group }) => isAskedFor(group, filter) && sees(scope, ownersOf(group)));
  const by = (key: (group: LeadGroup) => string | null) =>
    [...Map.groupBy(counted, ({ group }) => key(group))].map(
      ([value, some]) => [value, sumOf(some)] as const,
    );
  const sources = counted.flatMap(({ group }) => group.source ?? []);
  const spellings = new Map(sources.toReversed().map((source) => [nameKey(source), source]));
  const perDay = new Map(by(({ day }) => day));
  return {
    totals: sumOf(counted),
    bySource: by(({ source }) => source && nameKey(source))
      .map(([key, counts]) => ({ source: key && (spellings.get(key) ?? key), ...counts }))
      .sort((a, b) => moreFirst(a, b) || alphabetical(a.source, b.source)),
    byConfiguration: by(({ configurationId }) => configurationId)
      .map(([id, counts]) => ({ configurationId: id ?? '', name: names.get(id ?? '') ?? null, ...counts }))
      .sort((a, b) => moreFirst(a, b) || alphabetical(a.configurationId, b.configurationId)),
    byDay: days.map((date) => ({ date, ...(perDay.get(date) ?? sumOf([])) })),
  };
}

function isAskedFor(group: LeadGroup, { configurationId, source }: MetricsFilter): boolean {
  return (
    (configurationId === undefined || group.configurationId === configurationId) &&
    (source === undefined || nameKey(group.source ?? '') === nameKey(source))
  );
}

const ownersOf = ({ ownerId }: LeadGroup) => (ownerId === null ? [] : [ownerId]);

function sumOf(counted: readonly { counts: LeadCounts }[]): LeadCounts {
  const sum = { leads: 0, newContacts: 0, duplicates: 0, applications: 0 };
  for (const { counts } of counted) {
    sum.leads += counts.leads;
    sum.newContacts += counts.newContacts;
    sum.duplicates += counts.duplicates;
    sum.applications += counts.applications;
  }
  return sum;
}

const moreFirst = (a: LeadCounts, b: LeadCounts) => b.leads - a.leads;

const alphabetical = (a: string | null, b: string | null) => ((a ?? '') < (b ?? '') ? -1 : 1);
