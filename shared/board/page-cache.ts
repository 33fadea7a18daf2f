import { settling } from '../contact-aggregate/counters.ts';

/** A page of a column as it is sent, with the column's total. */
export interface ColumnPage {
  /** The contacts as JSON text. */
  readonly contacts: string;
  readonly total: number;
}

interface CachedPage extends ColumnPage {
  readonly version: number;
  /** Milliseconds since 1970: when this process first saw the version, and when it read the page. */
  readonly seenAt: number;
  readonly readAt: number;
}

/** Characters of all pages together: as many as fit beside everything else into a function of the smallest size. */
const defaultCapacity = 16 * 1024 * 1024;

/** Characters that a page takes beside its text: without them, empty pages would cost nothing and fill the memory. */
const overhead = 200;

const sizeOf = (key: string, { contacts }: ColumnPage) => key.length + contacts.length + overhead;

/** The pages that a warm process caches, each for one version of its column. The least recently used ones go first. */
export class PageCache {
  readonly #capacity: number;
  readonly #pages = new Map<string, CachedPage>();
  #size = 0;

  constructor(characters: number = defaultCapacity) {
    this.#capacity = characters;
  }

  /** The page of this version; undefined if it must be read. */
  get(key: string, version: number, now: number): ColumnPage | undefined {
    const cached = this.#pages.get(key);
    if (cached === undefined || cached.version !== version) {
      return undefined;
    }
    const isSettled = cached.readAt - cached.seenAt >= settling;
    if (!isSettled && now - cached.seenAt >= settling) {
      return undefined;
    }
    this.#pages.delete(key);
    this.#pages.set(key, cached);
    return cached;
  }

  put(key: string, version: number, page: ColumnPage, now: number): void {
    const former = this.#pages.get(key);
    const seenAt = former?.version === version ? former.seenAt : now;
    this.#delete(key);
    this.#pages.set(key, { ...page, version, seenAt, readAt: now });
    this.#size += sizeOf(key, page);
    for (const oldest of this.#pages.keys()) {
      if (this.#size <= this.#capacity) {
        break;
      }
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    const page = this.#pages.get(key);
    if (page !== undefined) {
      this.#size -= sizeOf(key, page);
      this.#pages.delete(key);
    }
  }
}
