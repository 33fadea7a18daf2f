import type { Block } from './block.ts';
import type { SearchQuery } from './query.ts';

/** Bytes of all rows that the searches of an index found. */
const capacity = 4 * 1024 * 1024;

/** Bytes that a block takes beside its rows: without them, searches that find nothing would cost nothing and fill the memory. */
const overhead = 200;

interface CachedRows {
  readonly rows: Uint32Array;
  /** Rows that the block had then: it only ever loses some. */
  readonly size: number;
}

/**
 * The rows that the latest searches found in each block: the next page of a search, and the same search after some contacts changed,
 * look through no block again. The least recently used search goes first.
 */
export class RowCache {
  readonly #bySelection = new Map<string, Map<Block, CachedRows>>();
  #bytes = 0;
  readonly #capacity: number;

  constructor(bytes: number = capacity) {
    this.#capacity = bytes;
  }

  /** The rows of each block that match, in board order. */
  matching(blocks: readonly Block[], query: SearchQuery): (readonly [Block, Uint32Array])[] {
    const { selection } = query;
    if (selection === undefined || blocks.length === 0) {
      return blocks.map((block) => [block, block.matching(query)]);
    }
    const known = this.#bySelection.get(selection);
    const cached = known ?? new Map<Block, CachedRows>();
    this.#bytes += known === undefined ? bytesOfText(selection) : 0;
    this.#bySelection.delete(selection);
    this.#bySelection.set(selection, cached);
    const found = blocks.map((block) => {
      const { size } = block;
      const former = cached.get(block);
      if (former?.size === size) {
        return [block, former.rows] as const;
      }
      const rows = former?.rows.filter((row) => !block.isGone(row)) ?? block.matching(query);
      cached.set(block, { rows, size });
      this.#bytes += contactBytes(rows) - (former === undefined ? 0 : contactBytes(former.rows));
      return [block, rows] as const;
    });
    this.#forgetOldest();
    return found;
  }

  /** Forgets what a search found. */
  forget(selection: string | undefined): void {
    const cached = selection === undefined ? undefined : this.#bySelection.get(selection);
    if (selection !== undefined && cached !== undefined) {
      this.#bySelection.delete(selection);
      this.#bytes -= bytesOfText(selection);
      for (const { rows } of cached.values()) {
        this.#bytes -= contactBytes(rows);
      }
    }
  }

  clear(): void {
    this.#bySelection.clear();
    this.#bytes = 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many searches are cached. */
  get size(): number {
    return this.#bySelection.size;
  }

  #forgetOldest(): void {
    for (const selection of this.#bySelection.keys()) {
      if (this.#bytes <= this.#capacity) {
        break;
      }
      this.forget(selection);
    }
  }
}

/** A selection may name a thousand users: most of what a search takes. */
const bytesOfText = (selection: string) => 2 * selection.length;

const contactBytes = (rows: Uint32Array) => overhead + rows.byteLength;
