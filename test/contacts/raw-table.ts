import type { Application } from '../../shared/contact-aggregate/application.ts';
import { contactSenders } from '../../shared/contacts/contact.ts';
import { toDigest } from '../../shared/table/digest.ts';
import type { Product } from '../harness/product.ts';
import { type Row, readRows } from '../seed/table.ts';
import type { ContactRecord } from './client.ts';

/** The rows about an organization's contacts, grouped by their keys. */
export interface RawContacts {
  /** Ids of contact records. */
  contacts: string[];
  /** `stage view#… createdAt#id`, one for each board entry. */
  entries: string[];
  /** Sum of the counters of each `stage view#…`, the stage by its end; a counter below zero is listed in `negative`. */
  counts: Map<string, number>;
  negative: string[];
  /** Contact ids by the digests of the phone numbers that contacts have. */
  locks: Map<string, string>;
}

export async function rawContacts(product: Product, organizationId: string): Promise<RawContacts> {
  return rawContactsIn(await rowsOfOrganization(product, organizationId));
}

/**
 * Everything in the table of an organization.
 * @param under how the partitions within the organization begin.
 */
export function rowsOfOrganization(
  { tableName }: Product,
  organizationId: string,
  under = '',
): Promise<Row[]> {
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  return readRows(endpoint, tableName, `ORG#${organizationId}#${under}`);
}

/** The same in rows that have been read. */
export function rawContactsIn(rows: readonly Row[]): RawContacts {
  const raw: RawContacts = { contacts: [], entries: [], counts: new Map(), negative: [], locks: new Map() };
  for (const { pk, sk, data: _, ...attributes } of rows) {
    const [, , kind, first = '', ...view] = pk.split('#');
    if (kind === 'CONTACT' && sk === 'CONTACT') {
      raw.contacts.push(first);
    } else if (kind === 'PHONE' && attributes.contactId !== undefined) {
      raw.locks.set(first, String(attributes.contactId));
    } else if (kind === 'COUNTS') {
      for (const [name, value] of Object.entries(attributes).filter(([name]) => name.startsWith('n'))) {
        const column = `${name.slice(1)} ${sk.slice(0, sk.lastIndexOf('#'))}`;
        raw.counts.set(column, (raw.counts.get(column) ?? 0) + Number(value));
        raw.negative.push(...(Number(value) < 0 ? [`${column} ${sk}`] : []));
      }
    } else if (kind === 'BOARD') {
      raw.entries.push(`${first} ${view.join('#')} ${sk}`);
    }
  }
  return raw;
}

/** The column of an entry, as `counts` names it. */
function columnOf(entry: string): string {
  const [stageId = '', view = ''] = entry.split(' ');
  return `${stageId.slice(-8)} ${view}`;
}

/** The rows that must be there for these contacts and applications. Counters of empty columns may be there, too, at zero. */
export function toRaw(
  records: readonly (ContactRecord & { sender?: string })[],
  applications: readonly Application[] = [],
): RawContacts {
  const ofContacts = records.flatMap(({ _id, stageId, createdAt, createdBy, owner, assignees }) => {
    const people = new Set([createdBy, ...assignees, ...(owner === null ? [] : [owner])]);
    const views = ['all', ...[...people].map((id) => `user#${id}`)];
    const unassigned = owner === null && assignees.length === 0 ? ['unassigned'] : [];
    return [...views, ...unassigned].map((view) => `${stageId} ${view} ${createdAt}#${_id}`);
  });
  const ofApplications = applications.map(
    ({ _id, stageId, createdAt }) => `${stageId} all ${createdAt}#${_id}`,
  );
  const entries = [...ofContacts, ...ofApplications];
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const column = columnOf(entry);
    counts.set(column, (counts.get(column) ?? 0) + 1);
  }
  return {
    contacts: records.map(({ _id }) => _id),
    entries,
    counts,
    negative: [],
    locks: new Map(
      records.flatMap((record) => contactSenders(record).map((address) => [toDigest(address), record._id])),
    ),
  };
}

/** In an order that can be compared. */
export function inOrder({ contacts, entries, counts, negative, locks }: RawContacts) {
  return {
    contacts: [...contacts].sort(),
    entries: [...entries].sort(),
    counts: [...counts].filter(([, count]) => count !== 0).sort(),
    negative,
    locks: [...locks].sort(),
  };
}
