import type { KeptIndex } from './kept-index.ts';

/** Bytes of all indexes together: a third of a function's memory of 1 GB. */
const capacity = 350 * 1024 * 1024;

/** The indexes that a warm process keeps. The one that nobody searched longest goes first. */
export class KeptIndexes {
  readonly #indexes = new Map<string, KeptIndex>();
  readonly #capacity: number;

  constructor(bytes: number = capacity) {
    this.#capacity = bytes;
  }

  get(key: string): KeptIndex | undefined {
    return this.#indexes.get(key);
  }

  /** Keeps an index that was just used. It grows with what is searched, so all are weighed each time. */
  keep(key: string, index: KeptIndex): void {
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
  drop(key: string, index: KeptIndex): void {
    if (this.#indexes.get(key) === index) {
      this.#indexes.delete(key);
    }
  }
}

/** Those of this process, by organization and pipeline. */
export const keptIndexes = new KeptIndexes();

export const keyOfIndex = (organizationId: string, pipelineId: string) => `${organizationId} ${pipelineId}`;
