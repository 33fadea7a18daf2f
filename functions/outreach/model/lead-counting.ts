import { timestamp } from '../../../shared/kernel/time.ts';
import { timeZone } from '../../../shared/organizations/local-time.ts';
import { toDigest } from '../../../shared/table/digest.ts';
import type { Key, Range } from '../../../shared/table/key.ts';
import { upTo } from '../../../shared/table/key.ts';
import type { Change, Stored } from '../../../shared/table/table.ts';

/** Counts of leads, for all of them and for each group. */
export interface LeadCounts {
  /** Accepted leads; a repetition is none. */
  leads: number;
  /** Leads that created a contact. */
  newContacts: number;
  /** Leads whose number a contact had already. */
  duplicates: number;
  /** Applications created. */
  applications: number;
}

/** The groups in which leads are counted. */
export interface LeadGroup {
  /** `2026-11-20`, in the time zone that the organization had at that time. */
  readonly day: string;
  readonly configurationId: string;
  /** The contact's owner at that time. */
  readonly ownerId: string | null;
  /** The configuration's source at that time. */
  readonly source: string | null;
}

/** Stands for no owner and no source in a key; ids and digests are longer. */
const none = '-';

/**
 * The counter of a group, raised in the lead's transaction. `shard` is one of several, because transactions that change the same
 * item cancel each other.
 */
export function leadCounterKeyFor(
  { day, configurationId, ownerId, source }: LeadGroup,
  shard: number,
): Key<never> {
  const sourceDigest = source === null ? none : toDigest(source).slice(0, 12);
  return leadCounterKey(monthOf(day), day, [configurationId, ownerId ?? none, sourceDigest, String(shard)]);
}

/** Adds a lead to a counter, as a new contact or as one that was there, with the applications made for it. */
export function oneMoreLead(
  { source }: LeadGroup,
  { isNew, applications }: { readonly isNew: boolean; readonly applications: number },
): Change {
  return {
    update: 'SET leadSource = :source ADD leads :one, newContacts :fresh, applications :applications',
    values: { source: source ?? '', one: 1, fresh: isNew ? 1 : 0, applications },
  };
}

/** The group and the counts of a counter. */
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

/** The day in this time zone that counts a moment. */
export const dayInZone = (at: Date, zone: string) =>
  timestamp(new Date(timeZone(zone).localTimeAt(at.getTime()))).slice(0, 10);

/** `2026-11` of `2026-11-20`: a month's counters share a partition, so that a year takes a dozen parallel queries. */
const monthOf = (day: string) => day.slice(0, 7);

/** Counts the leads of a day, a configuration, an owner and a source. */
export const leadCounterKey = (
  month: string,
  day: string,
  of: readonly [string, ...string[]],
): Key<never> => ({
  partition: ['LEADS', month],
  sort: [day, ...of],
});

/** The counters from one day to another in the same month, both inclusive. */
export const leadCounterRange = (from: string, to: string): Range<never> => ({
  partition: ['LEADS', monthOf(from)],
  between: { from, to: upTo([to]) },
});
