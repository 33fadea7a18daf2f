import type { SkipReason } from './run-statuses.ts';

/** Refuses what a step of a run would do. The step is skipped for this reason, and the run goes on. */
export class StepSkipped extends Error {
  readonly reason: SkipReason;

  constructor(reason: SkipReason) {
    super(`The step is skipped: ${reason}`);
    this.name = 'StepSkipped';
    this.reason = reason;
  }
}
