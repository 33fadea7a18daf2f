import { availableParallelism } from 'node:os';

/** Which functions may start a worker, and which of them wait for their first one. */
export class WorkerStarts<Waiter> {
  readonly #longMilliseconds: number;
  readonly #underWay = { background: 0, other: 0 };
  /** Since when each waits for its first worker, the longest first. */
  readonly #waiting = new Map<Waiter, number>();

  /** What nobody waits for starts beside others, too, once it has waited this long. */
  constructor(longMilliseconds: number) {
    this.#longMilliseconds = longMilliseconds;
  }

  /** Those that wait for their first worker, the longest first. */
  get waiting(): Iterable<Waiter> & Iterator<Waiter> {
    return this.#waiting.keys();
  }

  /** `now` in milliseconds. The end of each start is a reason to ask again. */
  mayBegin(waiter: Waiter, inBackground: boolean, now: number): boolean {
    const { background, other } = this.#underWay;
    if (!inBackground) {
      // More starts at once than cores would only make all of them slow, until some took too long.
      return other < availableParallelism();
    }
    const hasWaitedLong = now - (this.#waiting.get(waiter) ?? now) > this.#longMilliseconds;
    return background === 0 && (other === 0 || hasWaitedLong);
  }

  /** Notes that it waits for its first worker. */
  wait(waiter: Waiter, now: number): void {
    if (!this.#waiting.has(waiter)) {
      this.#waiting.set(waiter, now);
    }
  }

  /** It waits no more. */
  forget(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }

  /** Begins a start; returns what ends it. */
  begin(waiter: Waiter, inBackground: boolean): () => void {
    this.forget(waiter);
    const kind = inBackground ? 'background' : 'other';
    this.#underWay[kind] += 1;
    return () => {
      this.#underWay[kind] -= 1;
    };
  }
}
