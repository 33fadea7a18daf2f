import { chunks } from '../kernel/chunks.ts';
import type { TableWriter } from '../table/table.ts';
import type { IndexedContact } from './indexed-contact.ts';
import { families, type PackedBlock, packedBlock } from './packed-block.ts';
import { type DiscardedPart, keyOfPart, type StoredBlock, searchBlockRange } from './stored-index.ts';

/** Bytes of an item, of the 400 KB that the database takes. */
const maxBytes = 350 * 1024;

/** Writes blocks under new ids, which begin with that of the writer. */
export class BlockWriter {
  readonly #table: TableWriter;
  readonly #pipelineId: string;
  readonly #id: string;
  readonly #usualRows: number;
  #count = 0;
  #rows = 0;
  readonly written: DiscardedPart[] = [];

  constructor(table: TableWriter, pipelineId: string, id: string, usualRows: number) {
    this.#table = table;
    this.#pipelineId = pipelineId;
    this.#id = id;
    this.#usualRows = usualRows;
  }

  /** Contacts that were written. */
  get rows(): number {
    return this.#rows;
  }

  /**
   * Writes contacts of a stage, neighbours in board order, as one block or several. A family that is as in `former` stays where it is.
   */
  async write(
    stageId: string,
    rows: readonly IndexedContact[],
    former?: { readonly stored: StoredBlock; readonly packed: PackedBlock },
  ): Promise<StoredBlock[]> {
    if (rows.length === 0) {
      return [];
    }
    const packed = rows.length > 1.5 * this.#usualRows ? undefined : packedBlock(rows);
    const parts = packed === undefined ? Math.ceil(rows.length / this.#usualRows) : partsFor(packed);
    if (packed === undefined || (rows.length > 1 && parts > 1)) {
      const blocks: StoredBlock[] = [];
      for (const some of chunks(rows, Math.ceil(rows.length / parts))) {
        blocks.push(...(await this.write(stageId, some)));
      }
      return blocks;
    }
    const id = `${this.#id}-${this.#count}`;
    this.#count += 1;
    this.#rows += rows.length;
    const stored = await Promise.all(
      families.map(async (family) => {
        if (former !== undefined && Buffer.compare(packed[family], former.packed[family]) === 0) {
          return [family, former.stored.parts[family]];
        }
        const part = { family, stageId, id };
        this.written.push(part);
        const key = keyOfPart(this.#pipelineId, part);
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

/** Where the families of these blocks are stored. */
export const storedParts = (blocks: readonly StoredBlock[]): DiscardedPart[] =>
  blocks.flatMap(({ stageId, parts }) =>
    families.flatMap((family) => {
      const id = parts[family];
      return id === undefined ? [] : [{ family, stageId, id }];
    }),
  );

/** Deletes what a writer wrote that ended too early. */
export async function deleteWritten(
  table: TableWriter,
  pipelineId: string,
  stageIds: readonly string[],
  writer: string,
): Promise<void> {
  for (const family of families) {
    for (const stageId of stageIds) {
      const items = await table.list(searchBlockRange(pipelineId, family, stageId, writer));
      await table.deleteMany(items.map(({ key }) => key));
    }
  }
}
