import { searchFolded } from '../../../../shared/kernel/names/folded.ts';
import type { DocumentReader } from '../../../../shared/kernel/providers/objects.ts';
import { mergedViews, type Scope, sees, viewsOfScope } from '../../../../shared/organizations/visibility.ts';
import { toCursor } from '../../../../shared/table/cursor.ts';
import { joined } from '../../../../shared/table/key.ts';
import { type MergedPage, readMergedPage } from '../../../../shared/table/merged-page.ts';
import type { Stored, TableReader } from '../../../../shared/table/table.ts';
import { DocumentMissing, readDocument } from './documents.ts';
import { readWorkflow, type WholeWorkflow } from './find-workflow.ts';
import {
  type DocumentRow,
  shownHeader,
  type WorkflowHeader,
  workflowDocumentKey,
  workflowRange,
} from './workflow.ts';
import { toWorkflowResponse } from './workflow-schemas.ts';

export interface WorkflowQuery {
  readonly enabled?: boolean | undefined;
  readonly search?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Bytes of workflows in one response, well below the platform's limit. */
const pageBytes = 5.5 * 1024 * 1024;

/** One page of the scope's headers that match, newest first. It ends early before the response becomes too large. */
export async function readHeadersPage(
  table: TableReader,
  scope: Scope,
  query: WorkflowQuery,
): Promise<MergedPage<WorkflowHeader>> {
  const isWide = scope.kind === 'users' && scope.userIds.size > mergedViews;
  const page = await readMergedPage(table, viewsOfScope(scope).map(workflowRange), {
    limit: query.limit,
    cursor: query.cursor,
    // Strongly consistent, because headers are small, and users look here for the workflow that they have just created.
    consistent: true,
    matches: predicateOf(query, isWide ? scope : undefined),
  });
  return firstThatFit(page);
}

/** Undefined if every header matches: then no more are read than needed. */
function predicateOf(
  { enabled, search }: WorkflowQuery,
  scope: Scope | undefined,
): ((header: WorkflowHeader) => boolean) | undefined {
  const wanted = searchFolded(search ?? '').trim();
  return enabled === undefined && wanted === '' && scope === undefined
    ? undefined
    : (header) =>
        (enabled === undefined || header.enabled === enabled) &&
        searchFolded(header.name).includes(wanted) &&
        (scope === undefined || sees(scope, [header.userId]));
}

/** The first headers whose workflows fit into one response, at least one. */
function firstThatFit({ records, nextCursor }: MergedPage<WorkflowHeader>): MergedPage<WorkflowHeader> {
  let bytes = 0;
  const end = records.findIndex(({ data }, index) => {
    bytes += data.document.weight + Buffer.byteLength(JSON.stringify(JSON.stringify(shownHeader(data))));
    return bytes > pageBytes && index > 0;
  });
  const last = records[end - 1];
  return last === undefined
    ? { records, nextCursor }
    : { records: records.slice(0, end), nextCursor: toCursor(joined(last.key.sort)) };
}

interface Sources {
  readonly table: TableReader;
  readonly objects: DocumentReader;
}

/**
 * The JSON of these headers' workflows. It reads their documents in one round trip, and leaves out workflows that are deleted, or whose
 * document is lost: one of them must not hide the others.
 */
export async function readWorkflowResponses(
  sources: Sources,
  headers: readonly Stored<WorkflowHeader>[],
): Promise<string[]> {
  const rows = await rowsOf(sources.table, headers);
  const responses = await Promise.all(
    headers.map(({ data }) => toCurrentResponse(sources, data, rows.get(data._id))),
  );
  return responses.filter((workflow) => workflow !== undefined);
}

/** The rows of the documents in the table, by workflow. */
async function rowsOf(
  table: TableReader,
  headers: readonly Stored<WorkflowHeader>[],
): Promise<Map<string, Stored<DocumentRow> | undefined>> {
  const ids = headers.filter(({ data }) => data.document.store === 'table').map(({ data }) => data._id);
  const rows = ids.length === 0 ? [] : await table.readMany(ids.map(workflowDocumentKey));
  return new Map(ids.map((id, index) => [id, rows[index]]));
}

/** Reads a workflow again if it has changed since its header was read. */
async function toCurrentResponse(
  sources: Sources,
  header: WorkflowHeader,
  row: Stored<DocumentRow> | undefined,
): Promise<string | undefined> {
  try {
    return toWorkflowResponse(header, await readDocument(header, row, sources.objects));
  } catch (error) {
    if (!(error instanceof DocumentMissing)) {
      throw error;
    }
    const current = await currentUnlessLost(sources, header._id, error);
    return current && toWorkflowResponse(current.header.data, current.document);
  }
}

/** The current workflow; undefined if it is gone, or its document is lost. */
function currentUnlessLost(
  sources: Sources,
  id: string,
  missing: DocumentMissing,
): Promise<WholeWorkflow | undefined> {
  let last = missing.location;
  return sources.table.optimistically(async () => {
    try {
      return await readWorkflow(sources, id);
    } catch (error) {
      if (!(error instanceof DocumentMissing)) {
        throw error;
      }
      if (error.location.store === 'objects' && error.location.revision === last.revision) {
        return undefined;
      }
      last = error.location;
      throw error;
    }
  });
}
