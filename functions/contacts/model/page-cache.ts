import { second } from '../../../shared/kernel/time.ts';
import { LruCache } from './lru-cache.ts';

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

/**
 * Another reader sees the writes of a transaction one after the other, within milliseconds: a counter may show a new version before the
 * card is there. So a page that was read this soon after its version was first seen is read once more after that time.
 */
export const settling = second;

/** Characters of all pages together: as many as fit beside everything else into a function of the smallest size. */
const capacity = 16 * 1024 * 1024;

/** Characters that a page takes beside its text: without them, empty pages would cost nothing and fill the memory. */
const overhead = 200;

const sizeOf = (key: string, { contacts }: ColumnPage) => key.length + contacts.length + overhead;

/** The pages that a warm process caches, each for one version of its column. The least recently used one goes first. */
export class PageCache {
  readonly #pages: LruCache<string, CachedPage>;

  constructor(characters: number = capacity) {
    this.#pages = new LruCache<string, CachedPage>(characters, sizeOf);
  }

  /** Whether a page of any version is cached. */
  has(key: string): boolean {
    return this.#pages.peek(key) !== undefined;
  }

  /** The page of this version; undefined if it must be read. */
  get(key: string, version: number, now: number): ColumnPage | undefined {
    const cached = this.#pages.peek(key);
    if (cached === undefined || cached.version !== version) {
      return undefined;
    }
    const isSettled = cached.readAt - cached.seenAt >= settling;
    return isSettled || now - cached.seenAt < settling ? this.#pages.get(key) : undefined;
  }

  /** Returns the page as `get` does from now on: the same object. */
  put(key: string, version: number, page: ColumnPage, now: number): ColumnPage {
    const former = this.#pages.peek(key);
    const seenAt = former?.version === version ? former.seenAt : now;
    const cached = { ...page, version, seenAt, readAt: now };
    this.#pages.put(key, cached);
    return cached;
  }

  clear(): void {
    this.#pages.clear();
  }
}
