import type { TableWriter } from '../../../../../shared/table/table.ts';
import type { IndexedContact } from '../indexed-contact.ts';
import { segmentRows } from '../loading/listed-contacts.ts';
import { groups, packedSegment, repackedSegment, type UnpackedSegment } from '../segments/packed-segment.ts';
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
    if (
      packed === undefined ||
      (rows.length > 1 && groups.some((group) => packed[group].length > maxBytes))
    ) {
      const middle = Math.ceil(rows.length / 2);
      return [
        ...(await this.write(stageId, rows.slice(0, middle))),
        ...(await this.write(stageId, rows.slice(middle))),
      ];
    }
    const id = `${this.#compactionId}-${this.#count}`;
    this.#count += 1;
    const parts = await Promise.all(
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
    return [{ stageId, rows: rows.length, parts: Object.fromEntries(parts) as StoredSegment['parts'] }];
  }
}
