import {
  type BoardCounters,
  readCounters,
  settling,
} from '../../../../../shared/contact-aggregate/counters.ts';
import { unavailable } from '../../../../../shared/kernel/transient-errors.ts';
import { pause } from '../../../../../shared/table/backoff.ts';
import type { TableReader, TableWriter } from '../../../../../shared/table/table.ts';
import { pausesForRecords } from '../changes/changed-contacts.ts';
import { numbersOf, rememberAll } from '../changes/known-changes.ts';
import { type LatestContacts, latestContacts, listedContacts } from '../loading/listed-contacts.ts';
import type { IndexedPipeline } from '../loading/loaded-index.ts';
import type { Contents, StoredSegment } from '../stored-index.ts';
import type { SegmentWriter } from './segment-writer.ts';

/**
 * Writes segments of all contacts in the lists, with at least the changes that the counters count before.
 * @throws a 503 `Failure` while the record of a contact that changed last is not visible.
 */
export async function listedSegments(
  table: TableWriter,
  pipeline: IndexedPipeline,
  writer: SegmentWriter,
): Promise<Omit<Contents, 'builtAt'>> {
  const { counters, latest } = await visibleChanges(table, pipeline);
  if (!rememberAll(counters.changes())) {
    // The cards of changes of the last second may not be visible yet, and the counters may not remember all of those.
    await pause(settling);
  }
  const segments: StoredSegment[] = [];
  for (const { _id } of pipeline.stages) {
    for await (const rows of listedContacts(table, pipeline, _id, Promise.resolve(latest))) {
      segments.push(...(await writer.write(_id, rows)));
    }
  }
  return { segments, changes: numbersOf(counters.changes()) };
}

/** Counters, and the contacts whose changes they remember. */
async function visibleChanges(
  table: TableReader,
  pipeline: IndexedPipeline,
): Promise<{ counters: BoardCounters; latest: LatestContacts }> {
  for (const wait of [0, ...pausesForRecords]) {
    await pause(wait);
    const counters = await readCounters(table, pipeline._id);
    const latest = await latestContacts(table, pipeline, counters);
    if (latest !== undefined) {
      return { counters, latest };
    }
  }
  throw unavailable(new Error('The record of a contact that changed last does not become visible'));
}
