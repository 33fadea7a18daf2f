import type { TableReader } from '../../../../../shared/table/table.ts';
import type { ChangeNumbers } from '../changes/known-changes.ts';
import { loadLists } from '../loading/load-lists.ts';
import { loadStored } from '../loading/load-stored.ts';
import type { IndexedPipeline } from '../loading/loaded-index.ts';
import type { Group } from '../segments/packed-segment.ts';
import { CachedIndex } from './cached-index.ts';

/** Loadings for one request: changes of all contacts at once, and compactions, may make another one necessary. */
const maxLoadings = 4;

/** Where an index can be loaded from: stored segments first, the lists if those do not help. */
export class IndexSources {
  readonly #table: TableReader;
  readonly #pipeline: IndexedPipeline;
  readonly #needed: readonly Group[];
  readonly #earlier: ChangeNumbers | undefined;
  #hasListed = false;
  #loadings = 0;
  #storedLoadings = 0;
  #listsOnly = false;

  /** @param earlier the numbers of the last changes at least a second ago, if known. */
  constructor(
    table: TableReader,
    pipeline: IndexedPipeline,
    needed: readonly Group[],
    earlier: ChangeNumbers | undefined,
  ) {
    this.#earlier = earlier;
    this.#table = table;
    this.#pipeline = pipeline;
    this.#needed = needed;
  }

  /** Undefined if nothing is left to try. */
  async next(now: Date): Promise<CachedIndex | undefined> {
    this.#loadings += 1;
    if (this.#loadings > maxLoadings) {
      return undefined;
    }
    const stored = this.#listsOnly
      ? undefined
      : await loadStored(this.#table, this.#pipeline._id, this.#needed);
    this.#storedLoadings += 1;
    // Lists that disagreed with the counters once do so while an import is under way.
    const mayList = !this.#hasListed;
    this.#hasListed ||= stored === undefined;
    const loaded =
      stored ?? (mayList ? await loadLists(this.#table, this.#pipeline, now, this.#earlier) : undefined);
    return loaded && new CachedIndex(this.#pipeline, loaded);
  }

  /** Says that an index could not be used. */
  refuse(following: 'outdated' | 'lost'): void {
    this.#listsOnly = following === 'lost' || this.#storedLoadings > 1;
  }
}
