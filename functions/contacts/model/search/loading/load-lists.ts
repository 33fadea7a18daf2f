import { readCounters, settling } from '../../../../../shared/contact-aggregate/counters.ts';
import type { TableReader } from '../../../../../shared/table/table.ts';
import { type ChangeNumbers, KnownChanges, numbersOf, rememberAll } from '../changes/known-changes.ts';
import { SearchIndex } from '../index/search-index.ts';
import type { IndexedContact } from '../indexed-contact.ts';
import { packedSegment } from '../segments/packed-segment.ts';
import { Segment } from '../segments/segment.ts';
import { latestContacts, listedContacts } from './listed-contacts.ts';
import { contactsIn, type IndexedPipeline, type LoadedIndex } from './loaded-index.ts';

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
  const latest = latestContacts(table, pipeline, counters);
  const [changed, ...byStage] = await Promise.all([
    latest,
    ...pipeline.stages.map(async ({ _id: stageId }) => {
      const segments: Segment[] = [];
      let few: readonly IndexedContact[] = [];
      for await (const rows of listedContacts(table, pipeline, stageId, latest)) {
        if (rows.length < fewestPacked) {
          few = rows;
        } else {
          segments.push(segmentOf(stageId, rows));
        }
      }
      return { segments, few };
    }),
  ]);
  if (changed === undefined) {
    return undefined;
  }
  const index = new SearchIndex(byStage.flatMap(({ segments }) => segments));
  for (const contact of byStage.flatMap(({ few }) => few)) {
    index.put(contact, 0);
  }
  const shards = counters.changes();
  return {
    index,
    changes: numbersOf(shards),
    known: new KnownChanges([]),
    stored: undefined,
    ...(rememberAll(shards, earlier) ? {} : { validUntil: now.getTime() + settling }),
  };
}

function segmentOf(stageId: string, rows: readonly IndexedContact[]): Segment {
  const packed = packedSegment(rows);
  return new Segment(stageId, packed.keys).addAll(packed);
}
