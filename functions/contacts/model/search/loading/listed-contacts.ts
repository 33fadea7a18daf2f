import { boardRange } from '../../../../../shared/contact-aggregate/card.ts';
import type { BoardCounters } from '../../../../../shared/contact-aggregate/counters.ts';
import type { RawRow, TableReader } from '../../../../../shared/table/table.ts';
import { contactInRow } from '../../board-row.ts';
import { changedRecords } from '../changes/changed-contacts.ts';
import { type IndexedContact, inBoardOrder, indexedContact } from '../indexed-contact.ts';
import type { IndexedPipeline } from './loaded-index.ts';

/** Contacts of a segment. */
export const segmentRows = 2_000;

/** The contacts that changed last, by id; undefined for one that is not in the pipeline any more. */
export type LatestContacts = ReadonlyMap<string, IndexedContact | undefined>;

/**
 * Reads, from their records, the contacts whose changes the counters remember, in a version that is not older: a card may become visible
 * a little later than the counter that tells of it. Undefined if a record is not visible yet, either.
 */
export async function latestContacts(
  table: TableReader,
  { _id }: IndexedPipeline,
  counters: BoardCounters,
): Promise<LatestContacts | undefined> {
  const changes = counters.changes().flatMap(({ latest }) => latest);
  // The newest come first.
  const newest = [...Map.groupBy(changes, ({ contactId }) => contactId).values()].flatMap(
    ([one]) => one ?? [],
  );
  // A deleted contact stays so, even if its record is still visible.
  const written = newest.filter(({ version }) => version > 0);
  const read = await changedRecords(table, _id, written);
  const records = read.filter((record) => record !== undefined);
  if (records.length < read.length) {
    return undefined;
  }
  const found = new Map(records.flatMap(({ contact }) => (contact ? [[contact._id, contact]] : [])));
  return new Map(
    newest.map(({ contactId: id }) => {
      const contact = found.get(id);
      return [id, contact && indexedContact(contact)];
    }),
  );
}

/**
 * The contacts of a stage as its list has them, and the latest as they are, in board order, as many at a time as a segment has; the last
 * may be fewer. Ends early if the latest are not visible.
 */
export async function* listedContacts(
  table: TableReader,
  { _id }: IndexedPipeline,
  stageId: string,
  latest: Promise<LatestContacts | undefined>,
): AsyncIterable<IndexedContact[]> {
  const place = {
    organizationId: table.organizationId,
    pipeline: { _id, type: 'Contact' as const },
    stage: { _id: stageId },
  };
  const toContact = (row: RawRow) => indexedContact(contactInRow(row, place));
  let waiting: IndexedContact[] = [];
  let changed: IndexedContact[] | undefined;
  const options = { consistent: true, descending: true };
  for await (const batch of table.rows(boardRange(stageId, ['all']), options)) {
    const known = await latest;
    if (known === undefined) {
      return;
    }
    changed ??= inStage(known.values(), stageId);
    const rows = batch.map(toContact).filter((contact) => !known.has(contact._id));
    const last = rows.at(-1);
    const above =
      last === undefined ? 0 : changed.filter((contact) => inBoardOrder(contact, last) < 0).length;
    waiting.push(...[...rows, ...changed.splice(0, above)].sort(inBoardOrder));
    while (waiting.length >= segmentRows) {
      yield waiting.slice(0, segmentRows);
      waiting = waiting.slice(segmentRows);
    }
  }
  waiting.push(...(changed ?? inStage((await latest)?.values() ?? [], stageId)));
  if (waiting.length > 0) {
    yield waiting;
  }
}

/** Those of a stage, in board order. */
function inStage(latest: Iterable<IndexedContact | undefined>, stageId: string): IndexedContact[] {
  return [...latest]
    .filter((contact) => contact !== undefined)
    .filter((contact) => contact.stageId === stageId)
    .sort(inBoardOrder);
}
