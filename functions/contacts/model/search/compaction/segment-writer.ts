import { chunks } from '../../../../../shared/kernel/chunks.ts';
import type { TableWriter } from '../../../../../shared/table/table.ts';
import type { IndexedContact } from '../indexed-contact.ts';
import { segmentRows } from '../loading/listed-contacts.ts';
import {
  groups,
  type PackedSegment,
  packedSegment,
  repackedSegment,
  type UnpackedSegment,
} from '../segments/packed-segment.ts';
import { type DiscardedPart, type StoredSegment, searchSegmentKey } from '../stored-index.ts';

/** Bytes of an item, of the 400 KB that the database takes. */
const maxBytes = 350 * 1024;

/** Contacts that a segment may have before it is split. */
const maxRows = 1.5 * segmentRows;

/** Writes segments under new ids, which begin with that of the compaction. */
export class SegmentWriter {
  readonly #table: TableWriter;
  readonly #pipelineId: string;
  readonly #compactionId: string;
  #count = 0;
  readonly written: DiscardedPart[] = [];

  constructor(table: TableWriter, pipelineId: string, compactionId: string) {
    this.#table = table;
    this.#pipelineId = pipelineId;
    this.#compactionId = compactionId;
  }

  /**
   * Writes contacts of a stage, neighbours in board order, as one segment or several. A group that is as in `former` stays where it is.
   */
  async write(
    stageId: string,
    rows: readonly IndexedContact[],
    former?: UnpackedSegment & { readonly stored: StoredSegment },
  ): Promise<StoredSegment[]> {
    if (rows.length === 0) {
      return [];
    }
    const pack = () => (former === undefined ? packedSegment(rows) : repackedSegment(rows, former));
    const packed = rows.length > maxRows ? undefined : pack();
    const parts = packed === undefined ? 2 : partsFor(packed);
    if (packed === undefined || (rows.length > 1 && parts > 1)) {
      const segments: StoredSegment[] = [];
      for (const some of chunks(rows, Math.ceil(rows.length / parts))) {
        segments.push(...(await this.write(stageId, some)));
      }
      return segments;
    }
    const id = `${this.#compactionId}-${this.#count}`;
    this.#count += 1;
    const stored = await Promise.all(
      groups.map(async (group) => {
        if (former !== undefined && Buffer.compare(packed[group], former.packed[group]) === 0) {
          return [group, former.stored.parts[group]];
        }
        this.written.push({ group, stageId, id });
        const key = searchSegmentKey(this.#pipelineId, group, stageId, id);
        await this.#table.commit([this.#table.put(key, {}, { bytes: packed[group] })]);
        return [group, id];
      }),
    );
    return [{ stageId, rows: rows.length, parts: Object.fromEntries(stored) as StoredSegment['parts'] }];
  }
}

/** Into how many parts to split a segment so that each fits into an item, also if their contacts differ in size: packing takes long. */
function partsFor(packed: PackedSegment): number {
  const largest = Math.max(...groups.map((group) => packed[group].length));
  return largest <= maxBytes ? 1 : Math.ceil((1.25 * largest) / maxBytes);
}
