import type * as z from 'zod/mini';
import { type RunResponse, toRunResponse } from '../../../../shared/workflows/run-response.ts';
import type { RunPage } from './run-page.ts';

/** Steps in one response: with about 200 bytes each, well below the platform's limit. */
const mostSteps = 20_000;

/** The response of a list of runs. It ends early rather than have too many steps. */
export function listedRuns({ runs, nextCursor, cursorAfter }: RunPage): {
  data: z.input<typeof RunResponse>[];
  nextCursor: string | null;
} {
  let count = 0;
  const fitting = runs.filter(({ run }, index) => {
    count += run.steps;
    return index === 0 || count <= mostSteps;
  });
  const last = fitting.at(-1);
  return {
    data: fitting.map(({ run, steps }) => toRunResponse(run, steps)),
    nextCursor: last !== undefined && fitting.length < runs.length ? cursorAfter(last.run) : nextCursor,
  };
}
