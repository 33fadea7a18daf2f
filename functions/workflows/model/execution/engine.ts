/**
 * The door of the pure engine: what a step is to do, and what a run is after it. Nobody outside of this folder imports another file of it.
 */

export { endedRun, runAfterStep } from './advanced.ts';
export { decide, readExtra } from './decide.ts';
export type { Effect, Outcome, RoundRobinMove } from './decision.ts';
export type { FieldContext } from './fields.ts';
export {
  answeredRun,
  canContinue,
  isOver,
  nextTokenAt,
  openWaits,
  retriedRun,
  startingRun,
  waitsForRequest,
  withEndedWaits,
  wokenRun,
} from './lifecycle.ts';
export { moveRoundRobinAction } from './round-robin.ts';
export { holds, needsMoreThanEvent } from './rules.ts';
export type { StepContext } from './step-context.ts';
