import { mergedPage } from '../../../../shared/table/merged-page.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { type RunEntry, runEntryRange, runListOf } from '../../../../shared/workflows/run-lists.ts';
import type { RunStatus } from '../../../../shared/workflows/run-statuses.ts';

/**
 * Entries read for a page of those that run: few of a workflow's runs do at a time, but each stands in one list with those that wait.
 */
const entriesForRunning = 500;

export interface EntriesPage {
  /** Newest first. */
  readonly entries: readonly RunEntry[];
  readonly isEnd: boolean;
}

interface EntriesQuery {
  readonly status: RunStatus | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** The entries of a page of a workflow's runs, or, of those that run, those among which they are. */
export async function entriesPage(
  table: TableReader,
  workflowId: string,
  { status, limit, cursor }: EntriesQuery,
): Promise<EntriesPage> {
  const page = (lists: readonly ReturnType<typeof runListOf>[], wanted = limit) =>
    mergedPage(
      table,
      lists.map((list) => runEntryRange(workflowId, list)),
      { limit: wanted, cursor, consistent: true },
    );
  if (status !== undefined) {
    const { records, nextCursor } = await page(
      [runListOf(status)],
      status === 'running' ? entriesForRunning : limit,
    );
    return { entries: records.map(({ data }) => data), isEnd: nextCursor === null };
  }
  // One after the other: a run that ends meanwhile is then in both, and not in neither.
  const active = await page(['active']);
  const ended = await page(['finished', 'failed', 'cancelled']);
  const byId = new Map([...active.records, ...ended.records].map(({ data }) => [data.runId, data]));
  const sorted = [...byId.values()].sort((a, b) => (a.runId > b.runId ? -1 : 1));
  const isEnd = sorted.length <= limit && active.nextCursor === null && ended.nextCursor === null;
  return { entries: sorted.slice(0, limit), isEnd };
}
