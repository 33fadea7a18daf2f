import type { FunctionDefinition } from '../template/plan.ts';
import type { FunctionWorker, Job } from './function-worker.ts';
import type { JobQueue } from './job-queue.ts';

/** A function, the events that wait for it, and the workers that run it. */
export interface PooledFunction {
  definition: FunctionDefinition;
  waiting: JobQueue<Job>;
  workers: Set<FunctionWorker>;
  isStarting: boolean;
  /** The timer that starts another worker, while events wait for a busy one. */
  scaleOut: NodeJS.Timeout | undefined;
}
