import { timestamp } from '../../../../shared/kernel/time.ts';
import type { Run, Token } from '../runs/run.ts';
import { nextToken, openWaits, woken } from './lifecycle.ts';

/** The run after ending the waits whose time has come. */
export function withEndedWaits(run: Run, now: Date): Run {
  const isOver = (until: string | undefined) => until !== undefined && until <= timestamp(now);
  return openWaits(run)
    .filter(({ wait }) => isOver(wait?.until))
    .reduce((before, token) => woken(before, token, 'over'), run);
}

/** Whether a run, as it was read, could take a step now. */
export function canContinue(run: Run, now: Date): boolean {
  return nextTokenAt(withEndedWaits(run, now), now) !== undefined;
}

/** The token that goes on next at this time; undefined if none does. */
export const nextTokenAt = (run: Run, now: Date): Token | undefined =>
  isTooEarly(run, now) ? undefined : nextToken(run);

/** A run whose start was postponed does nothing before it. */
function isTooEarly({ steps, startsAt }: Run, now: Date): boolean {
  return steps === 0 && startsAt !== undefined && startsAt > timestamp(now);
}
