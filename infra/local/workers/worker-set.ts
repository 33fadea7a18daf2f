import type { FunctionWorker } from './function-worker.ts';
import type { PoolLimits } from './pool-limits.ts';

/** A worker that has been idle for no longer than this counts as in use. */
const usedMilliseconds = 5_000;

/** The workers of all functions, including functions that have been replaced. */
export class WorkerSet {
  readonly #limits: PoolLimits;
  /** Each worker with all workers of its function. */
  readonly #siblings = new Map<FunctionWorker, Set<FunctionWorker>>();
  /** Since when each idle worker has been idle, the longest first. */
  readonly #idle = new Map<FunctionWorker, number>();
  readonly #sweep: NodeJS.Timeout;

  constructor(limits: PoolLimits) {
    this.#limits = limits;
    this.#sweep = setInterval(() => this.#endIdle(), limits.idleMilliseconds / 4).unref();
  }

  get isFull(): boolean {
    return this.#siblings.size >= this.#limits.workers;
  }

  /** Counts a new, busy worker until it has ended. `siblings` are the workers of its function. */
  add(worker: FunctionWorker, siblings: Set<FunctionWorker>): void {
    siblings.add(worker);
    this.#siblings.set(worker, siblings);
    worker.once('gone', () => this.#forget(worker));
  }

  isIdle(worker: FunctionWorker): boolean {
    return this.#idle.has(worker);
  }

  release(worker: FunctionWorker): void {
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
   * Ends an idle worker, and returns whether there was one: a worker that is not in use, else one whose function has others, else, only
   * for the first worker of a function, the one that was used last. (With more functions in use than workers, the one that has been idle
   * longest is likely to be needed next.)
   */
  makeRoom(isFirst: boolean): boolean {
    const [[longest, since] = []] = this.#idle;
    const isInUse = performance.now() - (since ?? 0) <= usedMilliseconds;
    const idle = [...this.#idle.keys()];
    const further = idle.find((worker) => (this.#siblings.get(worker)?.size ?? 0) > 1);
    const ended = isInUse ? (further ?? (isFirst ? idle.at(-1) : undefined)) : longest;
    if (ended !== undefined) {
      this.end(ended);
    }
    return ended !== undefined;
  }

  async stop(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#siblings.keys()].map((worker) => worker.end()));
  }

  #endIdle(): void {
    const now = performance.now();
    for (const [worker, since] of this.#idle) {
      if (now - since > this.#limits.idleMilliseconds) {
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
