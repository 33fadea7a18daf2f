import { digestOf } from '../../../shared/table/digest.ts';
import type { Key, Range } from '../../../shared/table/key.ts';
import { upTo } from '../../../shared/table/key.ts';
import type { Change, Stored } from '../../../shared/table/table.ts';
import type { Timestamp } from '../../../shared/time.ts';

/** What is counted of leads; the same for all of them and for each group. */
export interface LeadCounts {
  /** Leads accepted, repetitions included. */
  leads: number;
  /** Of these, the ones that made a contact. */
  newContacts: number;
  /** The others: somebody had the number already. */
  duplicates: number;
  /** Applications made. */
  applications: number;
}

/** What leads are counted by. */
export interface LeadGroup {
  /** `2026-11-20`, in UTC. */
  readonly day: string;
  readonly configurationId: string;
  /** The contact's, at that moment. */
  readonly ownerId: string | null;
  /** The configuration's, at that moment. */
  readonly source: string | null;
}

/** Stands in a key for nobody, and for no source: no id and no digest is so short. */
const none = '-';

/** Counted in the transaction of the lead. `shard` is one of several, since transactions that meet on one item cancel each other. */
export function counterOf({ day, configurationId, ownerId, source }: LeadGroup, shard: number): Key<never> {
  const sourceDigest = source === null ? none : digestOf(source).slice(0, 12);
  return leadCounterKey(day, [configurationId, ownerId ?? none, sourceDigest, String(shard)]);
}

export function oneMoreLead(
  { source }: LeadGroup,
  { isNew, applications }: { readonly isNew: boolean; readonly applications: number },
): Change {
  return {
    update: 'SET leadSource = :source ADD leads :one, newContacts :fresh, applications :applications',
    values: { source: source ?? '', one: 1, fresh: isNew ? 1 : 0, applications },
  };
}

/** What a counter has counted. */
export function countedBy({ key, attributes = {} }: Stored<never>): { group: LeadGroup; counts: LeadCounts } {
  const [day = '', configurationId = '', owner = none] = key.sort;
  const { leadSource, leads: allLeads, newContacts: fresh, applications } = attributes;
  const [leads, newContacts] = [Number(allLeads), Number(fresh)];
  return {
    group: {
      day,
      configurationId,
      ownerId: owner === none ? null : owner,
      source: leadSource === '' ? null : String(leadSource),
    },
    counts: { leads, newContacts, duplicates: leads - newContacts, applications: Number(applications) },
  };
}

/** The day, in UTC, that a moment is counted under. */
export const dayOf = (at: Timestamp) => at.slice(0, 10);

/** `2026-11` of `2026-11-20`: a month of counters lies together, so that a year is a dozen queries at once. */
const monthOf = (day: string) => day.slice(0, 7);

/** Counts leads of one day, a configuration, an owner and a source. */
export const leadCounterKey = (day: string, of: readonly [string, ...string[]]): Key<never> => ({
  partition: ['LEADS', monthOf(day)],
  sort: [day, ...of],
});

/** Counters of leads from one day to another of the same month, both inclusive. */
export const leadCounterRange = (from: string, to: string): Range<never> => ({
  partition: ['LEADS', monthOf(from)],
  between: { from, to: upTo([to]) },
});
