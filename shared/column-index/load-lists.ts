import type { Card } from '../contact-aggregate/card.ts';
import { boardRange, contactFromCard } from '../contact-aggregate/card.ts';
import { type BoardCounters, readCounters, settling } from '../contact-aggregate/counters.ts';
import type { StoredContact } from '../contacts/contact.ts';
import { unpacked } from '../kernel/packing.ts';
import { keyParts } from '../table/key.ts';
import type { RawRow, TableReader } from '../table/table.ts';
import { Block } from './block.ts';
import { type IndexedContact, inBoardOrder, indexedContact } from './indexed-contact.ts';
import {
  type ChangeNumbers,
  changeNumbers,
  KnownChanges,
  readChangedRecords,
  rememberAll,
} from './known-changes.ts';
import { contactsIn, type IndexedPipeline, type LoadedIndex } from './load-stored.ts';
import { packedBlock } from './packed-block.ts';
import { SearchIndex } from './search-index.ts';

/** Fewer contacts than this are quicker to search one by one than to pack. */
const fewestPacked = 200;

/** More contacts than a request has the time to pack. */
const maxListed = 150_000;

/**
 * Reads every card of the lists of all contacts; undefined if they are too many, or if one that changed last is not visible yet. The
 * counters are read before, so that every change since is known or found missing. Unless they are known to remember all changes of the last
 * second, the index is good for that long.
 * @param earlier the numbers of the last changes at least a second ago, if known.
 */
export async function loadLists(
  table: TableReader,
  pipeline: IndexedPipeline,
  now: Date,
  earlier?: ChangeNumbers,
): Promise<LoadedIndex | undefined> {
  const counters = await readCounters(table, pipeline._id);
  if (contactsIn(counters, pipeline) > maxListed) {
    return undefined;
  }
  const latest = readLatestContacts(table, pipeline, counters);
  const [changed, ...byStage] = await Promise.all([
    latest,
    ...pipeline.stages.map(async ({ _id: stageId }) => {
      const blocks: Block[] = [];
      let few: readonly IndexedContact[] = [];
      for await (const rows of readListedContacts(table, pipeline, stageId, latest)) {
        if (rows.length < fewestPacked) {
          few = rows;
        } else {
          blocks.push(blockOf(stageId, rows));
        }
      }
      return { blocks, few };
    }),
  ]);
  if (changed === undefined) {
    return undefined;
  }
  const index = new SearchIndex(byStage.flatMap(({ blocks }) => blocks));
  for (const contact of byStage.flatMap(({ few }) => few)) {
    index.put(contact, 0);
  }
  const shards = counters.changes();
  return {
    index,
    changes: changeNumbers(shards),
    known: new KnownChanges([]),
    stored: undefined,
    ...(rememberAll(shards, earlier) ? {} : { validUntil: now.getTime() + settling }),
  };
}

function blockOf(stageId: string, rows: readonly IndexedContact[]): Block {
  const packed = packedBlock(rows);
  return new Block(stageId, packed.keys).addAll(packed);
}

/** Contacts of a block. */
export const blockRows = 2_000;

/** The contacts that changed last, by id; undefined for one that is not in the pipeline any more. */
type LatestContacts = ReadonlyMap<string, IndexedContact | undefined>;

/**
 * Reads, from their records, the contacts whose changes the counters remember, in a version that is not older: a card may become visible
 * a little later than the counter that tells of it. Undefined if a record is not visible yet, either.
 */
async function readLatestContacts(
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
  const read = await readChangedRecords(table, _id, written);
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
 * The contacts of a stage as its list has them, and the latest as they are, in board order, as many at a time as a block has; the last
 * may be fewer. Ends early if the latest are not visible.
 */
async function* readListedContacts(
  table: TableReader,
  { _id }: IndexedPipeline,
  stageId: string,
  latest: Promise<LatestContacts | undefined>,
): AsyncIterable<IndexedContact[]> {
  const place = { organizationId: table.organizationId, pipelineId: _id, stageId };
  let waiting: IndexedContact[] = [];
  let changed: IndexedContact[] | undefined;
  const options = { consistent: true, descending: true };
  for await (const batch of table.rows(boardRange(stageId, ['all']), options)) {
    const known = await latest;
    if (known === undefined) {
      return;
    }
    changed ??= inStage(known.values(), stageId);
    const rows = batch.map((row) => contactOfRow(row, place)).filter((contact) => !known.has(contact._id));
    const last = rows.at(-1);
    const above =
      last === undefined ? 0 : changed.filter((contact) => inBoardOrder(contact, last) < 0).length;
    waiting.push(...[...rows, ...changed.splice(0, above)].sort(inBoardOrder));
    while (waiting.length >= blockRows) {
      yield waiting.slice(0, blockRows);
      waiting = waiting.slice(blockRows);
    }
  }
  waiting.push(...(changed ?? inStage((await latest)?.values() ?? [], stageId)));
  if (waiting.length > 0) {
    yield waiting;
  }
}

/** The contact in a row of a list. */
export function contactOfRow(
  { sk, data = '' }: RawRow,
  place: Pick<StoredContact, 'organizationId' | 'pipelineId' | 'stageId'>,
): IndexedContact {
  const [createdAt = '', _id = ''] = keyParts(sk);
  return indexedContact(contactFromCard(unpacked<Card>(data), { _id, createdAt, ...place }));
}

/** Those of a stage, in board order. */
function inStage(latest: Iterable<IndexedContact | undefined>, stageId: string): IndexedContact[] {
  return [...latest]
    .filter((contact) => contact !== undefined)
    .filter((contact) => contact.stageId === stageId)
    .sort(inBoardOrder);
}
