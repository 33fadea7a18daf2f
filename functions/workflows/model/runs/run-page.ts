import { contactKey } from '../../../../shared/contacts/contact.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import { cursorOf } from '../../../../shared/table/cursor.ts';
import { joined } from '../../../../shared/table/key.ts';
import { mergedPage } from '../../../../shared/table/merged-page.ts';
import type { Stored, TableReader } from '../../../../shared/table/table.ts';
import { peopleOf, type Scope, scopeOf, sees } from '../../../../shared/visibility.ts';
import type { RunEntry } from '../../../../shared/workflows/run-lists.ts';
import type { RunStatus } from '../../../../shared/workflows/run-statuses.ts';
import { findHeader } from '../find-workflow.ts';
import { type Receipt, type Run, receiptRange, runKey, runRange } from './run.ts';
import { entriesPage } from './run-entries.ts';

export interface RunQuery {
  readonly status?: RunStatus | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface RunWithSteps {
  readonly run: Run;
  /** Oldest first. */
  readonly steps: readonly Receipt[];
}

export interface RunPage {
  readonly runs: readonly RunWithSteps[];
  readonly nextCursor: string | null;
  /** The cursor of the page after a run of this one. */
  cursorAfter(run: Run): string;
}

/** Keys that one read takes. */
const mostKeys = 100;

/** The part of a run's id that tells its time. A cursor holds no more: the rest is the contact, which the reader may not see. */
const timePart = 26;

const cursorAfter = (runId: string): string => cursorOf(runId.slice(0, timePart));

/** One page of a workflow's runs, newest first, in three round trips; those for contacts out of the scope are left out. */
export async function runsOfWorkflow(
  table: TableReader,
  caller: Caller,
  workflowId: string,
  { status, limit, cursor }: RunQuery,
): Promise<RunPage> {
  const [, scope, page] = await Promise.all([
    findHeader(table, caller, workflowId),
    scopeOf(caller, table),
    entriesPage(table, workflowId, { status, limit, cursor }),
  ]);
  const { entries } = page;
  const reading = Promise.all([recordsOf(table, entries), visibility(table, scope, entries)]);
  // All steps at the same time as their runs, unless most of these will be left out.
  const steps = status === 'running' ? undefined : stepsOf(table, entries);
  const [records, isVisible] = await reading;
  const shown = records.filter(
    (run): run is Run =>
      run !== undefined && (status === undefined || run.status === status) && isVisible(run),
  );
  const runs = shown.slice(0, limit);
  const stepsOfRuns = await (steps ??
    stepsOf(
      table,
      runs.map(({ _id }) => ({ runId: _id })),
    ));
  const last = shown.length > limit ? runs.at(-1)?._id : page.isEnd ? undefined : entries.at(-1)?.runId;
  return {
    runs: runs.map((run) => ({ run, steps: stepsOfRuns.get(run._id) ?? [] })),
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

async function stepsOf(
  table: TableReader,
  runs: readonly Pick<RunEntry, 'runId'>[],
): Promise<Map<string, readonly Receipt[]>> {
  const steps = runs.map(async ({ runId }) => {
    const receipts = await table.list(receiptRange(runId));
    return [runId, receipts.map(({ data }) => data)] as const;
  });
  return new Map(await Promise.all(steps));
}

/**
 * Whether a run is for a contact in the scope, or for one that is gone. Reads contacts only for a scope that depends on them.
 */
async function visibility(
  table: TableReader,
  scope: Scope,
  entries: readonly RunEntry[],
): Promise<(run: Run) => boolean> {
  if (scope.kind === 'organization') {
    return () => true;
  }
  const ids = [...new Set(entries.map(({ contactId }) => contactId))];
  const contacts = await readAll(table, ids.map(contactKey));
  const visible = new Set(
    contacts.flatMap((contact) =>
      contact !== undefined && sees(scope, peopleOf(contact.data)) ? [contact.data._id] : [],
    ),
  );
  return ({ contactId, topic }) => topic === 'contact.deleted' || visible.has(contactId);
}

/** Any number of records by key, in one round trip. */
async function readAll<Data>(
  table: TableReader,
  keys: Parameters<typeof table.readMany<Data>>[0],
): Promise<(Stored<Data> | undefined)[]> {
  const parts = Array.from({ length: Math.ceil(keys.length / mostKeys) }, (_, index) =>
    table.readMany(keys.slice(index * mostKeys, (index + 1) * mostKeys)),
  );
  return (await Promise.all(parts)).flat();
}

/** One page of the runs of a workflow for one contact; nothing for a contact out of the scope. */
export async function runsOfWorkflowFor(
  table: TableReader,
  caller: Caller,
  workflowId: string,
  { contactId, ...query }: RunQuery & { readonly contactId: string },
): Promise<RunPage> {
  const [, contact, scope, page] = await Promise.all([
    findHeader(table, caller, workflowId),
    table.read(contactKey(contactId)),
    scopeOf(caller, table),
    runsOfContact(table, contactId, { ...query, workflowId }),
  ]);
  const isVisible = contact !== undefined && sees(scope, peopleOf(contact.data));
  return isVisible ? page : { ...page, runs: [], nextCursor: null };
}

/** One page of a contact's runs, newest first, of one workflow or of all. */
export async function runsOfContact(
  table: TableReader,
  contactId: string,
  { status, limit, cursor, workflowId }: RunQuery & { readonly workflowId?: string },
): Promise<RunPage> {
  const isFiltered = status !== undefined || workflowId !== undefined;
  const matches = (run: Run) =>
    (status === undefined || run.status === status) &&
    (workflowId === undefined || run.workflowId === workflowId);
  const { records, nextCursor } = await mergedPage(table, [runRange(contactId)], {
    ...{ limit, cursor, consistent: true },
    ...(isFiltered && { matches }),
  });
  const steps = await stepsOf(
    table,
    records.map(({ data }) => ({ runId: data._id })),
  );
  return {
    runs: records.map(({ data }) => ({ run: data, steps: steps.get(data._id) ?? [] })),
    nextCursor,
    cursorAfter: ({ _id }) => cursorOf(joined(runKey(_id).sort)),
  };
}
