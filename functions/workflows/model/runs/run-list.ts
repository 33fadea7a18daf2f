import type * as z from 'zod/mini';
import { type RunResponse, toRunResponse } from '../../../../shared/workflows/run-response.ts';
import { fittingRuns, type RunPage } from './run-page.ts';

/** The response of a list of runs. It ends early rather than have too many steps. */
export function listedRuns({ runs, nextCursor, cursorAfter }: RunPage): {
  data: z.input<typeof RunResponse>[];
  nextCursor: string | null;
} {
  const fitting = fittingRuns(runs);
  const last = fitting.at(-1);
  return {
    data: fitting.map(({ run, steps }) => toRunResponse(run, steps)),
    nextCursor: last !== undefined && fitting.length < runs.length ? cursorAfter(last.run) : nextCursor,
  };
}
