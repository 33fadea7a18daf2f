import { digestOf } from '../table/digest.ts';
import type { Key } from '../table/key.ts';
import { keys } from '../table/keys.ts';
import type { Change, Stored } from '../table/table.ts';
import type { Timestamp } from '../time.ts';

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
  return keys.leadCounter(day, [configurationId, ownerId ?? none, sourceDigest, String(shard)]);
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
