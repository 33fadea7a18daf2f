import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { unpacked } from '../../shared/kernel/packing.ts';
import type { Product } from '../harness/product.ts';
import type { ContactRecord } from './desk.ts';

/** What lies in the table about an organization's contacts, as its keys say. */
export interface RawContacts {
  /** Ids of contact records. */
  contacts: string[];
  /** `stage view#… createdAt#id`, one for each board entry. */
  entries: string[];
  /** Sum of the counters of each `stage view#…`; a counter below zero is listed in `negative`. */
  counts: Map<string, number>;
  negative: string[];
  /** Contact ids by the phone numbers that are locked. */
  locks: Map<string, string>;
}

export async function rawContacts({ tableName }: Product, organizationId: string): Promise<RawContacts> {
  const client = new DynamoDBClient({});
  const raw: RawContacts = { contacts: [], entries: [], counts: new Map(), negative: [], locks: new Map() };
  const pages = paginateScan({ client: DynamoDBDocumentClient.from(client) }, { TableName: tableName });
  for await (const { Items: items = [] } of pages) {
    for (const { pk, sk, n = 0, data } of items) {
      const [space, organization, kind, first = '', ...view] = String(pk).split('#');
      if (space !== 'ORG' || organization !== organizationId) {
        continue;
      }
      const column = `${first} ${view.join('#')}`;
      if (kind === 'CONTACT' && sk === 'CONTACT') {
        raw.contacts.push(first);
      } else if (kind === 'PHONE') {
        raw.locks.set(sk, unpacked<{ contactId: string }>(data).contactId);
      } else if (kind === 'BOARD' && String(sk).startsWith('COUNT#')) {
        raw.counts.set(column, (raw.counts.get(column) ?? 0) + n);
        raw.negative.push(...(n < 0 ? [`${column} ${sk}`] : []));
      } else if (kind === 'BOARD') {
        raw.entries.push(`${column} ${sk}`);
      }
    }
  }
  client.destroy();
  return raw;
}

/** What must lie there when these are the contacts. Counters of empty columns may lie there too, at zero. */
export function rawOf(records: readonly ContactRecord[]): RawContacts {
  const entries = records.flatMap(({ _id, stageId, createdAt, createdBy, owner, assignees }) => {
    const people = new Set([createdBy, ...assignees, ...(owner === null ? [] : [owner])]);
    const views = ['all', ...[...people].map((id) => `user#${id}`)];
    const unassigned = owner === null && assignees.length === 0 ? ['unassigned'] : [];
    return [...views, ...unassigned].map((view) => `${stageId} ${view} ${createdAt}#${_id}`);
  });
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const column = entry.slice(0, entry.lastIndexOf(' '));
    counts.set(column, (counts.get(column) ?? 0) + 1);
  }
  return {
    contacts: records.map(({ _id }) => _id),
    entries,
    counts,
    negative: [],
    locks: new Map(records.flatMap(({ _id, phoneNumbers }) => phoneNumbers.map(({ value }) => [value, _id]))),
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
