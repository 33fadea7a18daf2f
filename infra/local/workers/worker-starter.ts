import { FunctionWorker, type Job } from './function-worker.ts';
import type { PoolLimits } from './pool-limits.ts';
import type { PooledFunction } from './pooled-function.ts';
import type { WorkerSet } from './worker-set.ts';
import { WorkerStarts } from './worker-starts.ts';

interface WorkerStarterOptions {
  readonly limits: PoolLimits;
  /** The set that new workers are added to. */
  readonly workers: WorkerSet;
  log(functionName: string, line: string): void;
  /** False for a function that has been replaced. */
  isCurrent(pooled: PooledFunction): boolean;
  /** Called with events that a worker took and will not handle. */
  onGivenBack(pooled: PooledFunction, jobs: Job[]): void;
  /** Called when a worker has ended, for whatever reason: there is room for another. */
  onGone(): void;
  /** Called when a start is over, whether or not it succeeded. */
  onStarted(pooled: PooledFunction): void;
}

/** Starts workers for functions with waiting events, within the limits of the pool. */
export class WorkerStarter {
  readonly #options: WorkerStarterOptions;
  readonly #starts: WorkerStarts<PooledFunction>;

  constructor(options: WorkerStarterOptions) {
    this.#options = options;
    this.#starts = new WorkerStarts(options.limits.longBackgroundMilliseconds);
  }

  /** The functions that wait for their first worker, the longest waiting first. */
  get waiting(): Iterable<PooledFunction> & Iterator<PooledFunction> {
    return this.#starts.waiting;
  }

  /** The function no longer waits for a worker. */
  forget(pooled: PooledFunction): void {
    this.#starts.forget(pooled);
  }

  /** Starts another worker if allowed. Otherwise a function without workers waits for its first one. */
  startIfPossible(pooled: PooledFunction): void {
    if (pooled.waiting.length === 0 || pooled.isStarting) {
      return;
    }
    const { limits, workers } = this.#options;
    const { definition, workers: own } = pooled;
    const [isFirst, now] = [own.size === 0, performance.now()];
    if (
      this.#starts.mayBegin(pooled, definition.inBackground ?? false, now) &&
      own.size < limits.workersOfOneFunction &&
      (!workers.isFull || workers.makeRoom(isFirst))
    ) {
      void this.#start(pooled);
    } else if (isFirst) {
      this.#starts.wait(pooled, now);
    }
  }

  async #start(pooled: PooledFunction): Promise<void> {
    pooled.isStarting = true;
    const { limits, workers, log, isCurrent, onGivenBack, onGone, onStarted } = this.#options;
    const { name, inBackground = false } = pooled.definition;
    const endStart = this.#starts.begin(pooled, inBackground);
    let worker: FunctionWorker | undefined;
    try {
      const yields = inBackground && limits.backgroundYields;
      worker = new FunctionWorker(pooled.definition, yields, (line) => log(name, line));
      workers.add(worker, pooled.workers);
      worker.on('givenBack', (jobs) => onGivenBack(pooled, jobs));
      worker.once('gone', onGone);
      await worker.ready;
      workers.release(worker);
    } catch (error) {
      pooled.waiting.take(1)[0]?.result.reject(error);
      if (worker) {
        workers.end(worker);
      }
    } finally {
      pooled.isStarting = false;
      endStart();
      if (worker && !isCurrent(pooled)) {
        workers.end(worker);
      }
      onStarted(pooled);
    }
  }
}
