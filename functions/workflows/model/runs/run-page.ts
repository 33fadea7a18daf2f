import type * as z from 'zod/mini';
import { contactKey, type StoredContact } from '../../../../shared/contacts/contact.ts';
import { readContact, readMerged, runPartitions } from '../../../../shared/contacts/holdings.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import { involvedPeople, readScope, type Scope, sees } from '../../../../shared/organizations/visibility.ts';
import { toCursor } from '../../../../shared/table/cursor.ts';
import { joined } from '../../../../shared/table/key.ts';
import { readMergedPage } from '../../../../shared/table/merged-page.ts';
import { readAll } from '../../../../shared/table/read-all.ts';
import type { Stored, TableReader } from '../../../../shared/table/table.ts';
import { type RunEntry, runEntryRange, runListFor } from '../../../../shared/workflows/run-lists.ts';
import { type RunResponse, toRunResponse } from '../../../../shared/workflows/run-response.ts';
import type { RunStatus } from '../../../../shared/workflows/run-statuses.ts';
import { findHeader } from '../definition/find-workflow.ts';
import { type Run, runKey, runRange, type StoredStepRecord, stepRecordRange } from './run.ts';

export interface RunQuery {
  readonly status?: RunStatus | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface RunWithSteps {
  readonly run: Run;
  /** Oldest first. */
  readonly steps: readonly StoredStepRecord[];
}

export interface RunPage {
  readonly runs: readonly RunWithSteps[];
  readonly nextCursor: string | null;
  /** The cursor of the page after a run of this one. */
  cursorAfter(run: Run): string;
}

/** Steps in one response: with about 200 bytes each, well below the platform's limit. */
const maxSteps = 20_000;

/** The first of these runs that fit into a response with all of their steps, at least one. */
function fittingRuns<One extends { readonly run: Pick<Run, 'steps'> }>(runs: readonly One[]): One[] {
  let count = 0;
  return runs.filter(({ run }, index) => {
    count += run.steps;
    return index === 0 || count <= maxSteps;
  });
}

/** The part of a run's id before that of the contact, whom the reader may not see. It tells one run from another. */
const ownPart = 26;

const cursorAfter = (runId: string): string => toCursor(runId.slice(0, ownPart));

/** One page of a workflow's runs, newest first; those for contacts out of the scope are left out. */
export async function readRunsOfWorkflow(
  table: TableReader,
  caller: Caller,
  workflowId: string,
  { status, limit, cursor }: RunQuery,
): Promise<RunPage> {
  const [, scope, page] = await Promise.all([
    findHeader(table, caller, workflowId),
    readScope(caller, table),
    readEntriesPage(table, workflowId, { status, limit, cursor }),
  ]);
  const { entries } = page;
  const contactIds = entries.map(({ contactId }) => contactId);
  const [records, isVisible] = await Promise.all([
    recordsOf(table, entries),
    findVisibleContacts(table, scope, contactIds),
  ]);
  const shown = records.filter(
    (run): run is Run =>
      run !== undefined &&
      (status === undefined || run.status === status) &&
      (run.topic === 'contact.deleted' || isVisible(run.contactId)),
  );
  const runs = shown.slice(0, limit);
  const last = shown.length > limit ? runs.at(-1)?._id : page.isEnd ? undefined : entries.at(-1)?.runId;
  return {
    runs: await withSteps(table, runs),
    nextCursor: last === undefined ? null : cursorAfter(last),
    cursorAfter: ({ _id }) => cursorAfter(_id),
  };
}

async function recordsOf(table: TableReader, entries: readonly RunEntry[]): Promise<(Run | undefined)[]> {
  const records = await readAll(
    table,
    entries.map(({ runId }) => runKey(runId)),
  );
  return records.map((record) => record?.data);
}

/** The runs with their steps; the steps of runs that do not fit into the response are not read. */
async function withSteps(table: TableReader, runs: readonly Run[]): Promise<RunWithSteps[]> {
  const fitting = fittingRuns(runs.map((run) => ({ run })));
  const steps = await Promise.all(fitting.map(({ run }) => table.list(stepRecordRange(run._id))));
  return runs.map((run, index) => ({ run, steps: steps[index]?.map(({ data }) => data) ?? [] }));
}

/** One page of the runs of a workflow for one contact; nothing for a contact out of the scope. */
export async function readRunsOfWorkflowFor(
  table: TableReader,
  caller: Caller,
  workflowId: string,
  { contactId, ...query }: RunQuery & { readonly contactId: string },
): Promise<RunPage> {
  const finding = readContact(table, contactId);
  const [, contact, scope, page] = await Promise.all([
    findHeader(table, caller, workflowId),
    finding,
    readScope(caller, table),
    readRunsOfContact(table, contactId, finding, { ...query, workflowId }),
  ]);
  const isVisible = contact?.data._id === contactId && sees(scope, involvedPeople(contact.data));
  return isVisible ? page : { ...page, runs: [], nextCursor: null };
}

/** One page of a contact's runs, newest first, of one workflow or of all. */
export async function readRunsOfContact(
  table: TableReader,
  contactId: string,
  finding: Promise<Stored<StoredContact> | undefined>,
  { status, limit, cursor, workflowId }: RunQuery & { readonly workflowId?: string },
): Promise<RunPage> {
  const isFiltered = status !== undefined || workflowId !== undefined;
  const matches = (run: Run) =>
    (status === undefined || run.status === status) &&
    (workflowId === undefined || run.workflowId === workflowId);
  const readFrom = (partitions: readonly string[]) =>
    readMergedPage(table, partitions.map(runRange), {
      ...{ limit, cursor, consistent: true },
      ...(isFiltered && { matches }),
    });
  const [own, contact] = await Promise.all([readFrom([contactId]), finding]);
  const { records, nextCursor } =
    contact?.data.holdings === undefined ? own : await readFrom(runPartitions(contact.data));
  const runs = records.map(({ data }) => ({ ...data, contactId }));
  return {
    runs: await withSteps(table, runs),
    nextCursor,
    cursorAfter: ({ _id }) => toCursor(joined(runKey(_id).sort)),
  };
}

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

/**
 * Entries read for a page of running runs: a workflow has few of them at a time, but each stands in one list with the runs that wait.
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

/** The entries of a page of a workflow's runs; for running runs, the entries among which they are. */
async function readEntriesPage(
  table: TableReader,
  workflowId: string,
  { status, limit, cursor }: EntriesQuery,
): Promise<EntriesPage> {
  const page = (lists: readonly ReturnType<typeof runListFor>[], wanted = limit) =>
    readMergedPage(
      table,
      lists.map((list) => runEntryRange(workflowId, list)),
      { limit: wanted, cursor, consistent: true },
    );
  if (status !== undefined) {
    const { records, nextCursor } = await page(
      [runListFor(status)],
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

/** Whether the scope includes the contact with an id, for these ids. Reads contacts only for a scope that depends on them. */
export async function findVisibleContacts(
  table: TableReader,
  scope: Scope,
  ids: readonly string[],
): Promise<(contactId: string) => boolean> {
  if (scope.kind === 'organization') {
    return () => true;
  }
  const different = [...new Set(ids)];
  const contacts = await readAll(table, different.map(contactKey));
  const owners = await Promise.all(different.map((id, index) => contacts[index] ?? readMerged(table, id)));
  const visible = new Set(
    different.filter((_, index) => {
      const owner = owners[index];
      return owner !== undefined && sees(scope, involvedPeople(owner.data));
    }),
  );
  return (contactId) => visible.has(contactId);
}
