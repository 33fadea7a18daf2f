import type { JsonText } from '../../../shared/kernel/http/json-text.ts';
import { LruCache } from './lru-cache.ts';
import type { ColumnPage } from './page-cache.ts';

interface CachedText {
  readonly pages: readonly ColumnPage[];
  readonly text: JsonText;
}

/** Characters of all texts and of their pages, which may have left the page cache, together. */
const capacity = 8 * 1024 * 1024;

/** Characters that a board takes beside its text, and for each page. */
const overhead = 200;

const sizeOf = ({ pages, text }: CachedText) =>
  text.text.length + pages.reduce((sum, { contacts }) => sum + contacts.length + overhead, overhead);

/** The last text of each board by its first page: a board on which nothing changed is not even assembled again. */
export class TextCache {
  readonly #texts: LruCache<ColumnPage, CachedText>;

  constructor(characters: number = capacity) {
    this.#texts = new LruCache(characters, (_, text) => sizeOf(text));
  }

  /** The text that was put for just these pages. */
  get(pages: readonly ColumnPage[]): JsonText | undefined {
    const cached = pages[0] && this.#texts.get(pages[0]);
    const isSame =
      cached?.pages.length === pages.length && cached.pages.every((page, index) => page === pages[index]);
    return isSame ? cached.text : undefined;
  }

  put(pages: readonly ColumnPage[], text: JsonText): void {
    const [first] = pages;
    if (first !== undefined) {
      this.#texts.put(first, { pages, text });
    }
  }
}
