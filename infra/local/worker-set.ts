import type { FunctionWorker } from './function-worker.ts';
import type { PoolLimits } from './pool-limits.ts';

/** A worker that has rested no longer than this is in use. */
const usedMilliseconds = 1_000;

/** The workers of all functions, also of those that have since been replaced. */
export class WorkerSet {
  readonly #limits: PoolLimits;
  /** Each with all workers of its function. */
  readonly #siblings = new Map<FunctionWorker, Set<FunctionWorker>>();
  /** Since when each idle worker has rested, the longest first. */
  readonly #idle = new Map<FunctionWorker, number>();
  readonly #rounds: NodeJS.Timeout;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
    this.#rounds = setInterval(() => this.#endRested(), limits.restMilliseconds / 4).unref();
  }

  get isFull(): boolean {
    return this.#siblings.size >= this.#limits.workers;
  }

  /** Counts a new worker, among these of its function, until it has ended. It is busy. */
  add(worker: FunctionWorker, siblings: Set<FunctionWorker>): void {
    siblings.add(worker);
    this.#siblings.set(worker, siblings);
    worker.once('gone', () => this.#forget(worker));
  }

  isIdle(worker: FunctionWorker): boolean {
    return this.#idle.has(worker);
  }

  rest(worker: FunctionWorker): void {
    this.#idle.set(worker, performance.now());
  }

  take(worker: FunctionWorker): void {
    this.#idle.delete(worker);
  }

  end(worker: FunctionWorker): void {
    this.#forget(worker);
    void worker.end();
  }

  /**
   * Ends the idle worker that has rested longest, and returns whether there is one. For a function's first worker any may end; for a
   * further one none that is another function's only one and in use, or functions would take each other's place in turns.
   */
  makeRoom(isFirst: boolean): boolean {
    const now = performance.now();
    for (const [worker, since] of this.#idle) {
      const isOnly = this.#siblings.get(worker)?.size === 1;
      if (isFirst || !isOnly || now - since > usedMilliseconds) {
        this.end(worker);
        return true;
      }
    }
    return false;
  }

  async stop(): Promise<void> {
    clearInterval(this.#rounds);
    await Promise.all([...this.#siblings.keys()].map((worker) => worker.end()));
  }

  #endRested(): void {
    const now = performance.now();
    for (const [worker, since] of this.#idle) {
      if (now - since > this.#limits.restMilliseconds) {
        this.end(worker);
      }
    }
  }

  #forget(worker: FunctionWorker): void {
    this.#idle.delete(worker);
    this.#siblings.get(worker)?.delete(worker);
    this.#siblings.delete(worker);
  }
}
