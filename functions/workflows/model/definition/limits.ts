import { day } from '../../../../shared/kernel/time.ts';
import { longestWait } from './plan.ts';

/** What a run may have before it fails as `too_long`; its length in time is `longestRun`. Source: the page of workflows, "Guards". */
export const runLimits = { steps: 1_000, tokens: 50 } as const;

/** Milliseconds of a run at most: the longest wait, and a day for the steps around it. */
export const longestRun = longestWait + day;

export const tooLong = 'too_long';
