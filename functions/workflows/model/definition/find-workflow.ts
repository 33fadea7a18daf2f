import type { Caller } from '../../../../shared/kernel/caller.ts';
import { notFound } from '../../../../shared/kernel/failure.ts';
import type { DocumentReader } from '../../../../shared/kernel/providers/objects.ts';
import { sees } from '../../../../shared/organizations/visibility.ts';
import type { Stored, TableReader } from '../../../../shared/table/table.ts';
import { readDocument } from './documents.ts';
import { type Rights, readRights } from './rights-of-owner.ts';
import type { WorkflowHeader } from './workflow.ts';
import { workflowDocumentKey, workflowKey } from './workflow.ts';

export interface WholeWorkflow {
  readonly header: Stored<WorkflowHeader>;
  readonly document: string;
}

interface Sources {
  readonly table: TableReader;
  readonly objects: DocumentReader;
}

/** A header that a caller may see, and what else the caller may. */
export interface FoundHeader {
  readonly header: Stored<WorkflowHeader>;
  readonly rights: Rights;
}

/** A header that the caller may see, in one round trip. @throws a 404 `Failure` otherwise. */
export async function findHeader(table: TableReader, caller: Caller, id: string): Promise<FoundHeader> {
  const [header, rights] = await Promise.all([table.read(workflowKey(id)), readRights(caller, table)]);
  if (header === undefined || !sees(rights.scope, [header.data.userId])) {
    throw notFound('Workflow');
  }
  return { header, rights };
}

/** A workflow that the caller may see, in one round trip. @throws `VersionConflict` when its document changes meanwhile. */
export async function findWorkflow(
  { table, objects }: Sources,
  caller: Caller,
  id: string,
): Promise<WholeWorkflow & FoundHeader> {
  const [{ header, rights }, row] = await Promise.all([
    findHeader(table, caller, id),
    table.read(workflowDocumentKey(id)),
  ]);
  return { header, rights, document: await readDocument(header.data, row, objects) };
}

/** The current workflow with this id; undefined if it is gone. */
export async function readWorkflow(
  { table, objects }: Sources,
  id: string,
): Promise<WholeWorkflow | undefined> {
  const [header, row] = await Promise.all([table.read(workflowKey(id)), table.read(workflowDocumentKey(id))]);
  return header && { header, document: await readDocument(header.data, row, objects) };
}
