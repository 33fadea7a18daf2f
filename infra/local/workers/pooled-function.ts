import type { FunctionDefinition } from '../template/plan.ts';
import type { FunctionWorker, Job } from './function-worker.ts';
import type { JobQueue } from './job-queue.ts';

/** One function: the events that wait for it and the workers that run it. */
export interface PooledFunction {
  definition: FunctionDefinition;
  waiting: JobQueue<Job>;
  workers: Set<FunctionWorker>;
  isStarting: boolean;
  /** Runs while events wait for a busy worker. */
  scaleOut: NodeJS.Timeout | undefined;
}
