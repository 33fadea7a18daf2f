import type * as z from 'zod/mini';
import type { TableReader } from '../../../../shared/table/table.ts';
import { type RunResponse, toRunResponse } from '../../../../shared/workflows/run-response.ts';
import { receiptRange } from './run.ts';
import type { RunPage } from './run-page.ts';

/** Steps in one response: with about 200 bytes each, well below the platform's limit. */
const mostSteps = 20_000;

/** The response of a list of runs: the page with the steps of its runs. It ends early rather than have too many of them. */
export async function listedRuns(
  table: TableReader,
  { runs, nextCursor, cursorAfter }: RunPage,
): Promise<{ data: z.input<typeof RunResponse>[]; nextCursor: string | null }> {
  let steps = 0;
  const fitting = runs.filter((run, index) => {
    steps += run.steps;
    return index === 0 || steps <= mostSteps;
  });
  const data = await Promise.all(
    fitting.map(async (run) => {
      const receipts = await table.list(receiptRange(run._id));
      return toRunResponse(
        run,
        receipts.map((receipt) => receipt.data),
      );
    }),
  );
  const last = fitting.at(-1);
  return {
    data,
    nextCursor: last !== undefined && fitting.length < runs.length ? cursorAfter(last) : nextCursor,
  };
}
