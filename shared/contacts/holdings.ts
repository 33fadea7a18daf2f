import type { Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import { readMergedPage } from '../table/merged-page.ts';
import type { Page, PageOptions, Stored, TableReader } from '../table/table.ts';
import { contactKey, type StoredContact } from './contact.ts';

/**
 * A record stays in the partition of the contact that it was created for (`contactIdIn` of its id), whatever becomes of that contact. Whose it
 * is, is told by its `contactId`: that contact, or the one that it was merged into. So joining two contacts moves no records, and each id
 * that was ever handed out finds its record.
 */

/** What a contact has beside the records of its own partition that name it; absent until it is joined or parted. */
export interface Holdings {
  /** The contacts that were merged into it: what names them is its own. */
  readonly mergedIds: readonly string[];
  /** Other partitions that may have records of its own. Those in `mergedIds` are among them. */
  readonly partitions: readonly string[];
}

const nothing: Holdings = { mergedIds: [], partitions: [] };

/** A contact, as far as it tells which records are its own. */
export type Holder = Pick<StoredContact, '_id' | 'holdings'>;

/** The partitions that have, or may have, records of the contact, its own first. */
export const partitionsWith = ({ _id, holdings = nothing }: Holder): string[] => [
  _id,
  ...holdings.partitions,
];

/** The partitions with the runs of a contact: runs go with the contact that they were started for. */
export const runPartitions = ({ _id, holdings = nothing }: Holder): string[] => [_id, ...holdings.mergedIds];

/** Whether a record is the contact's that names this one. */
export const owns = ({ _id, holdings = nothing }: Holder, contactId: string): boolean =>
  contactId === _id || holdings.mergedIds.includes(contactId);

/** Left in place of a contact that was merged into another. */
export interface Forward {
  readonly mergedInto: string;
  readonly at: Timestamp;
}

/** Its sort key begins as that of the contact, so that the same read and the same reader of the stream find both. */
export const forwardKey = (contactId: string): Key<Forward> => ({
  partition: ['CONTACT', contactId],
  sort: ['CONTACT_MERGED'],
});

/** The contact with this id, or the one that it was merged into; undefined if that is deleted. One more trip for each merge. */
export async function readContact(
  table: TableReader,
  contactId: string,
): Promise<Stored<StoredContact> | undefined> {
  const contact = await table.read(contactKey(contactId));
  return contact ?? readMerged(table, contactId);
}

/** The contact that this one, which is gone, was merged into; undefined if it was deleted. */
export async function readMerged(
  table: TableReader,
  contactId: string,
): Promise<Stored<StoredContact> | undefined> {
  const forward = await table.read(forwardKey(contactId));
  return forward && readContact(table, forward.data.mergedInto);
}

/** The contact of a record; no further read if it is the one of its partition, which was read beside it. */
export async function readOwner(
  table: TableReader,
  record: { readonly contactId: string } | undefined,
  home: Stored<StoredContact> | undefined,
): Promise<Stored<StoredContact> | undefined> {
  return record === undefined || record.contactId === home?.data._id
    ? home
    : readContact(table, record.contactId);
}

/** All records of a contact in a range of each of its partitions, which are read at the same time. */
export async function listHeld<Data extends { contactId: string }>(
  table: TableReader,
  contact: Holder,
  rangeIn: (partition: string) => Range<Data>,
): Promise<Stored<Data>[]> {
  const found = await Promise.all(partitionsWith(contact).map((partition) => table.list(rangeIn(partition))));
  return found.flat().filter(({ data }) => owns(contact, data.contactId));
}

/**
 * One page of the records of a contact, newest first: in the one round trip that finds the contact, and for a contact that was joined or
 * parted in another one.
 */
export async function readHeldPage<Data extends { contactId: string }>(
  table: TableReader,
  contactId: string,
  finding: Promise<Stored<StoredContact>>,
  rangeIn: (partition: string) => Range<Data>,
  paging: Pick<PageOptions<Data>, 'limit' | 'cursor'>,
): Promise<Page<Data>> {
  const [page, { data: contact }] = await Promise.all([
    table.page(rangeIn(contactId), { ...paging, descending: true, consistent: true }),
    finding,
  ]);
  if (contact.holdings === undefined) {
    return page;
  }
  const { records, nextCursor } = await readMergedPage(table, partitionsWith(contact).map(rangeIn), {
    ...paging,
    consistent: true,
    matches: (data) => owns(contact, data.contactId),
  });
  const own = records.map((record) => ({ ...record, data: { ...record.data, contactId: contact._id } }));
  return { records: own, nextCursor };
}
