import type { Block } from './block.ts';
import { type KeyColumns, randomBytes, ulidParts } from './key-columns.ts';

/** A contact's row. */
export interface FoundRow {
  readonly block: Block;
  readonly row: number;
}

/**
 * Finds the rows of a contact in blocks. A hash table of row numbers: a map of ids would take ten times the memory, and longer to
 * build than a search may take.
 */
export class RowFinder {
  readonly #blocks: readonly Block[];
  /** The number of each block's first row. */
  readonly #starts: number[] = [];
  /** Numbers of rows, plus one; zero is free. */
  readonly #slots: Uint32Array;
  readonly #odd = new Map<string, FoundRow[]>();

  constructor(blocks: readonly Block[]) {
    this.#blocks = blocks;
    let count = 0;
    for (const { keys } of blocks) {
      this.#starts.push(count);
      count += keys.length;
    }
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * count + 2)));
    for (const [index, block] of blocks.entries()) {
      this.#add(block, this.#starts[index] as number);
    }
  }

  /** Lists that were read while a contact moved may contain it twice. */
  find(contactId: string): FoundRow[] {
    const parts = ulidParts(contactId);
    if (parts === undefined) {
      return this.#odd.get(contactId) ?? [];
    }
    const found: FoundRow[] = [];
    for (let slot = this.#slotOf(parts.random, 0); this.#slots[slot] !== 0; slot = this.#after(slot)) {
      const one = this.#rowAt((this.#slots[slot] as number) - 1);
      if (isAt(one, parts.time, parts.random)) {
        found.push(one);
      }
    }
    return found;
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }

  #add(block: Block, start: number): void {
    const { keys } = block;
    for (const [row, id] of keys.oddIds) {
      this.#odd.set(id, [...(this.#odd.get(id) ?? []), { block, row }]);
    }
    for (let row = 0; row < keys.length; row += 1) {
      if (keys.oddIds.size > 0 && keys.oddIds.has(row)) {
        continue;
      }
      let slot = this.#slotOf(keys.random, row * randomBytes);
      while (this.#slots[slot] !== 0) {
        slot = this.#after(slot);
      }
      this.#slots[slot] = start + row + 1;
    }
  }

  /** Bytes of ids are random, so some of them serve as the hash; the last ones differ even where ids count upward. */
  #slotOf(random: Uint8Array, offset: number): number {
    const end = offset + randomBytes;
    const low = ((random[end - 4] as number) << 24) | ((random[end - 3] as number) << 16);
    const hash = low | ((random[end - 2] as number) << 8) | (random[end - 1] as number);
    return hash & (this.#slots.length - 1);
  }

  #after(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }

  #rowAt(number: number): FoundRow {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= number) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return { block: this.#blocks[low] as Block, row: number - (this.#starts[low] as number) };
  }
}

function isAt({ block: { keys }, row }: FoundRow, time: number, random: Uint8Array): boolean {
  return keys.idTime(row) === time && isRandomAt(keys, row, random);
}

function isRandomAt(keys: KeyColumns, row: number, random: Uint8Array): boolean {
  for (let index = 0; index < randomBytes; index += 1) {
    if (keys.random[row * randomBytes + index] !== random[index]) {
      return false;
    }
  }
  return true;
}
