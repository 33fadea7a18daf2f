import type { ChangeNumbers } from '../changes/known-changes.ts';
import type { CachedIndex } from './cached-index.ts';

/** Bytes of all indexes together: a third of a function's memory of 1 GB. */
const capacity = 350 * 1024 * 1024;

/** The indexes that a warm process caches. The least recently used one goes first. */
export class IndexCache {
  readonly #indexes = new Map<string, CachedIndex>();
  readonly #capacity: number;

  constructor(bytes: number = capacity) {
    this.#capacity = bytes;
  }

  /** The index; undefined if there is none, or if it must be loaded again by now. */
  get(key: string, now: Date): CachedIndex | undefined {
    const index = this.#indexes.get(key);
    return index !== undefined && now.getTime() < index.validUntil ? index : undefined;
  }

  /** The numbers of the changes of some time ago, with which an index was loaded that must be loaded again by now. */
  earlierChanges(key: string, now: Date): ChangeNumbers | undefined {
    const index = this.#indexes.get(key);
    return index !== undefined && now.getTime() >= index.validUntil ? index.loadedChanges : undefined;
  }

  /** Caches an index that was just used. It grows with what is searched, so all are weighed each time. */
  put(key: string, index: CachedIndex): void {
    this.#indexes.delete(key);
    this.#indexes.set(key, index);
    let bytes = [...this.#indexes.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [oldest, one] of this.#indexes) {
      if (bytes <= this.#capacity) {
        break;
      }
      this.#indexes.delete(oldest);
      bytes -= one.bytes;
    }
  }

  /** Forgets an index, unless another one has taken its place. */
  drop(key: string, index: CachedIndex): void {
    if (this.#indexes.get(key) === index) {
      this.#indexes.delete(key);
    }
  }
}

/** Those of this process, by organization and pipeline. */
export const indexCache = new IndexCache();

export const keyOfIndex = (organizationId: string, pipelineId: string) => `${organizationId} ${pipelineId}`;
