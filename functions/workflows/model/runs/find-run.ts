import { contactKey, type StoredContact } from '../../../../shared/contacts/contact.ts';
import { readOwner } from '../../../../shared/contacts/holdings.ts';
import type { Caller } from '../../../../shared/kernel/caller.ts';
import { contactIdIn } from '../../../../shared/kernel/child-id.ts';
import { Failure, notFound } from '../../../../shared/kernel/failure.ts';
import { involvedPeople, type Scope, sees } from '../../../../shared/organizations/visibility.ts';
import type { Stored, TableReader } from '../../../../shared/table/table.ts';
import { type Rights, readRights, requireRightsOfOwner } from '../definition/rights-of-owner.ts';
import { type Run, runKey, type StoredStepRecord, stepRecordRange } from './run.ts';

/** Who may see a run, for the descriptions of operations. */
export const whoSeesARun =
  'A run is visible to those who see its contact. The runs of a workflow are listed for those who also see the workflow; a run that the deletion of its contact started is visible to all who see the workflow.';

export interface FoundRun {
  readonly run: Stored<Run>;
  /** Oldest first. */
  readonly steps: readonly StoredStepRecord[];
  readonly rights: Rights;
}

/** A run with its steps, for a caller who may see its contact; in one round trip unless that was merged. @throws a 404 `Failure` otherwise. */
export async function findRun(table: TableReader, caller: Caller, id: string): Promise<FoundRun> {
  const contactId = contactIdIn(id);
  const [run, home, steps, rights] = await Promise.all([
    table.read(runKey(id)),
    table.read(contactKey(contactId)),
    table.list(stepRecordRange(id)),
    readRights(caller, table),
  ]);
  const contact = run?.data.topic === 'contact.deleted' ? home : await readOwner(table, run?.data, home);
  if (run === undefined || !isVisible(run.data, contact?.data, rights.scope)) {
    throw notFound('Workflow run');
  }
  return { run, steps: steps.map(({ data }) => data), rights };
}

/** A run that the deletion of its contact started is seen by those who see its workflow: it holds nothing of the contact. */
function isVisible(run: Run, contact: StoredContact | undefined, scope: Scope): boolean {
  if (run.topic === 'contact.deleted') {
    return sees(scope, [run.userId]);
  }
  return contact !== undefined && sees(scope, involvedPeople(contact));
}

/**
 * @throws a 403 `Failure` for somebody who may not see the workflow, or who has not all rights of its owner: what the run does next, or
 * no longer does, it does with these.
 */
export function requireRunRights({ run, rights }: FoundRun): void {
  if (!sees(rights.scope, [run.data.userId])) {
    throw new Failure(
      'FORBIDDEN',
      'Only users who can see the workflow may do this. Ask its owner or an ADMIN.',
    );
  }
  requireRightsOfOwner(rights, run.data.userId);
}
