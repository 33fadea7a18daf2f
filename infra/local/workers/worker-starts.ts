import { availableParallelism } from 'node:os';

/** Which functions may start a worker, and which of them wait for their first one. */
export class WorkerStarts<Waiter> {
  readonly #longMilliseconds: number;
  readonly #underWay = { background: 0, other: 0 };
  /** Since when each has waited for its first worker, the longest waiting first. */
  readonly #waiting = new Map<Waiter, number>();

  /** A background function may start beside others once it has waited this long. */
  constructor(longMilliseconds: number) {
    this.#longMilliseconds = longMilliseconds;
  }

  /** Those that wait for their first worker, the longest waiting first. */
  get waiting(): Iterable<Waiter> & Iterator<Waiter> {
    return this.#waiting.keys();
  }

  /** Whether a start may begin at `now`, in milliseconds. To be asked again at the end of each start. */
  mayBegin(waiter: Waiter, inBackground: boolean, now: number): boolean {
    const { background, other } = this.#underWay;
    if (!inBackground) {
      // With more starts at once than cores, all of them would be slow and some would take too long.
      return other < availableParallelism();
    }
    const hasWaitedLong = now - (this.#waiting.get(waiter) ?? now) > this.#longMilliseconds;
    return background === 0 && (other === 0 || hasWaitedLong);
  }

  /** From now on it waits for its first worker. */
  wait(waiter: Waiter, now: number): void {
    if (!this.#waiting.has(waiter)) {
      this.#waiting.set(waiter, now);
    }
  }

  /** It no longer waits. */
  forget(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }

  /** Begins a start; returns a function that ends it. */
  begin(waiter: Waiter, inBackground: boolean): () => void {
    this.forget(waiter);
    const kind = inBackground ? 'background' : 'other';
    this.#underWay[kind] += 1;
    return () => {
      this.#underWay[kind] -= 1;
    };
  }
}
