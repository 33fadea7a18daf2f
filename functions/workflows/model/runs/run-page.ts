import { contactKey } from '../../../../shared/contacts/contact.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import { cursorOf } from '../../../../shared/table/cursor.ts';
import { joined } from '../../../../shared/table/key.ts';
import { mergedPage } from '../../../../shared/table/merged-page.ts';
import type { Stored, TableReader } from '../../../../shared/table/table.ts';
import { peopleOf, type Scope, scopeOf, sees } from '../../../../shared/visibility.ts';
import { type RunEntry, runEntryRange, runListOf } from '../../../../shared/workflows/run-lists.ts';
import type { RunStatus } from '../../../../shared/workflows/run-statuses.ts';
import { findHeader } from '../find-workflow.ts';
import { type Run, runKey, runRange } from './run.ts';

export interface RunQuery {
  readonly status?: RunStatus | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface RunPage {
  readonly runs: readonly Run[];
  readonly nextCursor: string | null;
  /** The cursor of the page after a run of this one. */
  cursorAfter(run: Run): string;
}

/** Keys that one read takes. */
const mostKeys = 100;

/**
 * Entries read for a page of those that run: few of a workflow's runs do at a time, but each stands in one list with those that wait.
 */
const entriesForRunning = 5 * mostKeys;

/** The part of a run's id that tells its time. A cursor holds no more: the rest is the contact, which the reader may not see. */
const timePart = 26;

/** One page of a workflow's runs, newest first, in two round trips; those of contacts out of the scope are left out. */
export async function runsOfWorkflow(
  table: TableReader,
  caller: Caller,
  workflowId: string,
  { status, limit, cursor }: RunQuery,
): Promise<RunPage> {
  const list = status === undefined ? 'all' : runListOf(status);
  const wanted = status === 'running' ? entriesForRunning : limit;
  const [, scope, page] = await Promise.all([
    findHeader(table, caller, workflowId),
    scopeOf(caller, table),
    table.page(runEntryRange(workflowId, list), {
      ...{ limit: wanted, cursor, descending: true, consistent: true },
    }),
  ]);
  const entries = page.records.map(({ data }) => data);
  const [runs, isVisible] = await Promise.all([recordsOf(table, entries), visibility(table, scope, entries)]);
  const shown = runs.filter(
    (run): run is Run =>
      run !== undefined && (status === undefined || run.status === status) && isVisible(run.contactId),
  );
  const last = shown.length > limit ? shown[limit - 1]?._id : page.nextCursor && entries.at(-1)?.runId;
  return {
    runs: shown.slice(0, limit),
    nextCursor: last ? cursorAfter(last) : null,
    cursorAfter: ({ _id }) => cursorAfter(_id),
  };
}

const cursorAfter = (runId: string): string => cursorOf(runId.slice(0, timePart));

async function recordsOf(table: TableReader, entries: readonly RunEntry[]): Promise<(Run | undefined)[]> {
  const records = await readAll(
    table,
    entries.map(({ runId }) => runKey(runId)),
  );
  return records.map((record) => record?.data);
}

/** Whether the contact with an id is in the scope. Reads contacts only for a scope that depends on them. */
async function visibility(
  table: TableReader,
  scope: Scope,
  entries: readonly RunEntry[],
): Promise<(contactId: string) => boolean> {
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
  return (contactId) => visible.has(contactId);
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
  return {
    runs: records.map(({ data }) => data),
    nextCursor,
    cursorAfter: ({ _id }) => cursorOf(joined(runKey(_id).sort)),
  };
}
