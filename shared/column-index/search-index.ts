import type { Block } from './block.ts';
import { contactBytes, type IndexedContact, inBoardOrder } from './indexed-contact.ts';
import { type ComparedPlace, comparedPlace } from './key-columns.ts';
import type { SearchQuery } from './query.ts';
import { RowCache } from './row-cache.ts';
import { RowFinder } from './row-finder.ts';

/** A contact that changed after its block was packed. */
export interface ChangedContact {
  /** The version of the contact's record. */
  readonly version: number;
  /** Undefined if it is not in the pipeline any more. */
  readonly contact: IndexedContact | undefined;
}

/** The matches of a column. */
export interface Matches {
  readonly total: number;
  /** Those on the page, in board order. */
  readonly contactIds: readonly string[];
}

/** The matches of a stage. */
export interface StageMatches {
  readonly rows: readonly (readonly [Block, Uint32Array])[];
  readonly changed: readonly IndexedContact[];
}

/** About the memory of a change without its contact. */
const bytesOfChange = 200;

/**
 * The contacts of one pipeline, for everything that a board filters by: blocks, and the contacts that changed since, which take
 * the place of their rows.
 */
export class SearchIndex {
  readonly #stages = new Map<string, Block[]>();
  readonly blocks: readonly Block[];
  readonly #changed = new Map<string, ChangedContact>();
  /** The changed contacts of each stage, in board order. */
  readonly #changedIn = new Map<string, IndexedContact[]>();
  #bytesOfChanges = 0;
  readonly #counts = new Map<string, number>();
  readonly #rows = new RowCache();
  #finder: RowFinder | undefined;

  /** The blocks of a stage must be in board order. */
  constructor(blocks: readonly Block[]) {
    this.blocks = blocks;
    for (const block of blocks) {
      const { stageId, size } = block;
      this.#stages.set(stageId, [...(this.#stages.get(stageId) ?? []), block]);
      this.#count(stageId, size);
    }
  }

  get changed(): ReadonlyMap<string, ChangedContact> {
    return this.#changed;
  }

  /** The contacts in a stage. */
  size(stageId: string): number {
    return this.#counts.get(stageId) ?? 0;
  }

  /** The stages that have contacts, or had some. */
  get stageIds(): Iterable<string> {
    return this.#counts.keys();
  }

  /** Whether the index has the contact as it was at this version, or later. */
  hasSeen(contactId: string, version: number): boolean {
    return (this.#changed.get(contactId)?.version ?? -1) >= version;
  }

  put(contact: IndexedContact, version: number): void {
    this.#change(contact._id, { version, contact });
  }

  remove(contactId: string, version: number): void {
    this.#change(contactId, { version, contact: undefined });
  }

  /** The matches of a stage's column, and those at the positions from `first` on, at most `size`. */
  find(stageId: string, query: SearchQuery, { first, size }: { first: number; size: number }): Matches {
    const found = this.matches(stageId, query);
    const { changed } = found;
    const rows = new MatchingRows(found.rows);
    const total = rows.length + changed.length;
    /** Where a changed contact stands among all matches; after them if there is none. Costly, so only asked for the page. */
    const placeOf = (index: number) => {
      const contact = changed[index];
      return contact === undefined ? total : rows.above(comparedPlace(contact)) + index;
    };
    const contactIds: string[] = [];
    let next = firstOf(changed.length, (index) => placeOf(index) >= first);
    let nextPlace = placeOf(next);
    for (let place = first; place < Math.min(total, first + size); place += 1) {
      if (place < nextPlace) {
        contactIds.push(rows.idAt(place - next));
      } else {
        contactIds.push((changed[next] as IndexedContact)._id);
        next += 1;
        nextPlace = placeOf(next);
      }
    }
    return { total, contactIds };
  }

  /** All matches of a stage: rows of blocks, and contacts that changed since. */
  matches(stageId: string, query: SearchQuery): StageMatches {
    try {
      return {
        rows: this.#rows.matching(this.#stages.get(stageId) ?? [], query),
        changed: this.#changedOf(stageId).filter((contact) => query.matches(contact)),
      };
    } catch (error) {
      // A search that was refused for its cost would cost less the next time, and might then pass.
      this.#rows.forget(query.selection);
      throw error;
    }
  }

  /** How many of the matches of a stage's column have each tag, in several parts. */
  *tagCounts(stageId: string, query: SearchQuery): Generator<readonly [tag: string, count: number]> {
    const { rows, changed } = this.matches(stageId, query);
    for (const [block, found] of rows) {
      yield* block.tagCounts(found);
    }
    for (const contact of changed) {
      yield* contact.tags.map((tag) => [tag, 1] as const);
    }
  }

  /** Forgets what searches found: each looks through the blocks again. */
  forgetRows(): void {
    this.#rows.clear();
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.blocks.reduce(
      (sum, { bytes }) => sum + bytes,
      (this.#finder?.bytes ?? 0) + this.#rows.bytes + this.#bytesOfChanges,
    );
  }

  #change(contactId: string, change: ChangedContact): void {
    const known = this.#changed.get(contactId);
    if (known !== undefined && known.version >= change.version) {
      return;
    }
    if (known === undefined) {
      this.#leaveOutRows(contactId);
    } else if (known.contact !== undefined) {
      const own = this.#changedOf(known.contact.stageId);
      own.splice(placeIn(own, known.contact), 1);
      this.#count(known.contact.stageId, -1);
    }
    this.#changed.set(contactId, change);
    this.#bytesOfChanges += weightOf(change) - (known === undefined ? 0 : weightOf(known));
    if (change.contact !== undefined) {
      const own = this.#changedOf(change.contact.stageId);
      own.splice(placeIn(own, change.contact), 0, change.contact);
      this.#count(change.contact.stageId, 1);
    }
  }

  #leaveOutRows(contactId: string): void {
    this.#finder ??= new RowFinder(this.blocks);
    for (const { block, row } of this.#finder.find(contactId)) {
      block.leaveOut(row);
      this.#count(block.stageId, -1);
    }
  }

  #count(stageId: string, more: number): void {
    this.#counts.set(stageId, this.size(stageId) + more);
  }

  #changedOf(stageId: string): IndexedContact[] {
    const own = this.#changedIn.get(stageId) ?? [];
    this.#changedIn.set(stageId, own);
    return own;
  }
}

/** Where a contact stands among others in board order, or would stand. */
function placeIn(contacts: readonly IndexedContact[], contact: IndexedContact): number {
  return firstOf(contacts.length, (index) => inBoardOrder(contacts[index] as IndexedContact, contact) >= 0);
}

/** The first index for which this holds, as it does for all after it; `length` if it holds for none. */
function firstOf(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

const weightOf = ({ contact }: ChangedContact) =>
  bytesOfChange + (contact === undefined ? 0 : contactBytes(contact));

/** The matching rows of a stage's blocks, in board order. */
export class MatchingRows {
  readonly #parts: { block: Block; rows: Uint32Array; start: number }[] = [];
  readonly length: number;

  /** The blocks must be in board order. */
  constructor(found: Iterable<readonly [Block, Uint32Array]>) {
    let length = 0;
    for (const [block, rows] of found) {
      if (rows.length > 0) {
        this.#parts.push({ block, rows, start: length });
        length += rows.length;
      }
    }
    this.length = length;
  }

  idAt(position: number): string {
    const { block, row } = this.#at(position);
    return block.keys.id(row);
  }

  /** How many of them stand above a place. */
  above(place: ComparedPlace): number {
    let [low, high] = [0, this.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { block, row } = this.#at(middle);
      if (block.keys.isAbove(row, place)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  #at(position: number): { block: Block; row: number } {
    let [low, high] = [0, this.#parts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#parts[middle]?.start ?? 0) <= position) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    const part = this.#parts[low];
    if (part === undefined) {
      throw new RangeError('There is no match at this position');
    }
    return { block: part.block, row: part.rows[position - part.start] as number };
  }
}
