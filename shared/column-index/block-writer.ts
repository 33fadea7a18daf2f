import { chunks } from '../kernel/chunks.ts';
import type { TableWriter } from '../table/table.ts';
import type { IndexedContact } from './indexed-contact.ts';
import { blockRows } from './load-lists.ts';
import {
  families,
  type PackedBlock,
  packedBlock,
  repackedBlock,
  type UnpackedBlock,
} from './packed-block.ts';
import { type DiscardedPart, type StoredBlock, searchBlockKey } from './stored-index.ts';

/** Bytes of an item, of the 400 KB that the database takes. */
const maxBytes = 350 * 1024;

/** Contacts that a block may have before it is split. */
const maxRows = 1.5 * blockRows;

/** Writes blocks under new ids, which begin with that of the compaction. */
export class BlockWriter {
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
   * Writes contacts of a stage, neighbours in board order, as one block or several. A family that is as in `former` stays where it is.
   */
  async write(
    stageId: string,
    rows: readonly IndexedContact[],
    former?: UnpackedBlock & { readonly stored: StoredBlock },
  ): Promise<StoredBlock[]> {
    if (rows.length === 0) {
      return [];
    }
    const pack = () => (former === undefined ? packedBlock(rows) : repackedBlock(rows, former));
    const packed = rows.length > maxRows ? undefined : pack();
    const parts = packed === undefined ? 2 : partsFor(packed);
    if (packed === undefined || (rows.length > 1 && parts > 1)) {
      const blocks: StoredBlock[] = [];
      for (const some of chunks(rows, Math.ceil(rows.length / parts))) {
        blocks.push(...(await this.write(stageId, some)));
      }
      return blocks;
    }
    const id = `${this.#compactionId}-${this.#count}`;
    this.#count += 1;
    const stored = await Promise.all(
      families.map(async (family) => {
        if (former !== undefined && Buffer.compare(packed[family], former.packed[family]) === 0) {
          return [family, former.stored.parts[family]];
        }
        this.written.push({ family, stageId, id });
        const key = searchBlockKey(this.#pipelineId, family, stageId, id);
        await this.#table.commit([this.#table.put(key, {}, { bytes: packed[family] })]);
        return [family, id];
      }),
    );
    return [{ stageId, rows: rows.length, parts: Object.fromEntries(stored) as StoredBlock['parts'] }];
  }
}

/** Into how many parts to split a block so that each fits into an item, also if their contacts differ in size: packing takes long. */
function partsFor(packed: PackedBlock): number {
  const largest = Math.max(...families.map((family) => packed[family].length));
  return largest <= maxBytes ? 1 : Math.ceil((1.25 * largest) / maxBytes);
}
