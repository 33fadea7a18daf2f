import type { FunctionDefinition } from '../template/plan.ts';
import type { FunctionWorker, Job } from './function-worker.ts';
import type { WaitingLine } from './waiting-line.ts';

/** One function: the events that wait for it and the workers that run it. */
export interface PooledFunction {
  definition: FunctionDefinition;
  waiting: WaitingLine<Job>;
  workers: Set<FunctionWorker>;
  isStarting: boolean;
  /** Runs while events wait for a busy worker. */
  patience: NodeJS.Timeout | undefined;
}
