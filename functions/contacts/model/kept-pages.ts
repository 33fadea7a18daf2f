import { second } from '../../../shared/kernel/time.ts';

/** A page of a column as it is sent, with the column's total. */
export interface ColumnPage {
  /** The contacts as JSON text. */
  readonly contacts: string;
  readonly total: number;
}

interface Kept extends ColumnPage {
  readonly version: number;
  /** Milliseconds since 1970: when this process first saw the version, and when it read the page. */
  readonly seenAt: number;
  readonly readAt: number;
}

/**
 * Another reader sees the writes of a transaction one after the other, within milliseconds: a counter may show a new version before the
 * card is there. So a page that was read this soon after its version was first seen is read once more after that time.
 */
const settling = second;

/** Characters of all pages together: as many as fit beside everything else into a function of the smallest size. */
const capacity = 16 * 1024 * 1024;

/** Characters that a page takes beside its text: without them, empty pages would cost nothing and fill the memory. */
const overhead = 200;

const sizeOf = (key: string, { contacts }: ColumnPage) => key.length + contacts.length + overhead;

/** The pages that a warm process keeps, each for one version of its column. The one that nobody asked for longest goes first. */
export class KeptPages {
  readonly #pages = new Map<string, Kept>();
  #size = 0;
  readonly #capacity: number;

  constructor(characters: number = capacity) {
    this.#capacity = characters;
  }

  /** Whether a page of any version is kept. */
  has(key: string): boolean {
    return this.#pages.has(key);
  }

  /** The page of this version; undefined if it must be read. */
  get(key: string, version: number, now: number): ColumnPage | undefined {
    const kept = this.#pages.get(key);
    if (kept === undefined || kept.version !== version) {
      return undefined;
    }
    const isSettled = kept.readAt - kept.seenAt >= settling;
    if (!isSettled && now - kept.seenAt >= settling) {
      return undefined;
    }
    this.#pages.delete(key);
    this.#pages.set(key, kept);
    return kept;
  }

  keep(key: string, version: number, page: ColumnPage, now: number): void {
    const former = this.#pages.get(key);
    const seenAt = former?.version === version ? former.seenAt : now;
    this.#remove(key);
    this.#pages.set(key, { ...page, version, seenAt, readAt: now });
    this.#size += sizeOf(key, page);
    for (const [oldest] of this.#pages) {
      if (this.#size <= this.#capacity) {
        break;
      }
      this.#remove(oldest);
    }
  }

  clear(): void {
    this.#pages.clear();
    this.#size = 0;
  }

  #remove(key: string): void {
    const former = this.#pages.get(key);
    this.#size -= former === undefined ? 0 : sizeOf(key, former);
    this.#pages.delete(key);
  }
}
