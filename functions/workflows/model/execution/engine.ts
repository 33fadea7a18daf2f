/**
 * The door of the pure engine: what a step is to do, and what a run is after it. Nobody outside of this folder imports another file of it.
 */

export { advanced, endedRun } from './advanced.ts';
export { decide, extraOf } from './decide.ts';
export type { Effect, Outcome, Turn } from './decision.ts';
export type { Facts } from './facts.ts';
export type { KnownFacts } from './fields.ts';
export { isOver, openWaits, retried, started, woken } from './lifecycle.ts';
export { canContinue, nextTokenAt, withEndedWaits } from './next-token.ts';
export { holds, needsMoreThanEvent } from './rules.ts';
export { takeTurn } from './turns.ts';
