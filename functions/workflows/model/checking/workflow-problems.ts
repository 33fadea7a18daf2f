import type { User } from '../../../../shared/organizations/user.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { sees, usersOf } from '../../../../shared/visibility.ts';
import type { Settings } from '../graph/plan.ts';
import { reachAmong } from '../rights-of-owner.ts';
import { type WorkflowHeader, workflowKey } from '../workflow.ts';
import { type Problem, type ProblemOfReference, problemAt, quoted } from './problem.ts';

/** The place in a graph where a workflow is named. */
export interface NamedWorkflow {
  readonly nodeId: string;
  /** Where in the data of the node it stands. */
  readonly path: string;
  readonly id: string;
  /** Whether the step starts it. */
  readonly starts?: boolean;
}

/** The workflow that names it. */
interface Naming {
  readonly workflowId: string;
  readonly ownerId: string;
  readonly settings: Pick<Settings, 'reentry'>;
}

/** Tells what is wrong with each of these workflows, for one that names them; in one round trip. */
export async function workflowProblems(
  table: TableReader,
  naming: Naming,
  named: readonly NamedWorkflow[],
  most: number,
): Promise<Problem[]> {
  const ids = [...new Set(named.map(({ id }) => id))].slice(0, most);
  if (ids.length === 0) {
    return [];
  }
  const [found, users] = await Promise.all([
    table.readMany(ids.map((id) => workflowKey(id))),
    usersOf(table),
  ]);
  const headers = new Map(ids.map((id, index) => [id, found[index]?.data]));
  return named.flatMap((one) => {
    const told = headers.has(one.id) ? problemOf(naming, one, headers.get(one.id), users) : undefined;
    return told === undefined ? [] : [problemAt(one.nodeId)(told.severity, `${one.path}: ${told.message}`)];
  });
}

function problemOf(
  naming: Naming,
  { id, starts = false }: NamedWorkflow,
  header: WorkflowHeader | undefined,
  users: readonly User[],
): ProblemOfReference | undefined {
  const [owner, other] = [naming.ownerId, header?.userId].map((userId) =>
    users.find(({ _id }) => _id === userId),
  );
  const reach = owner && reachAmong({ userId: owner._id, role: owner.accessRole }, users);
  if (header === undefined || (reach && !sees(reach.scope, [header.userId]))) {
    const message = `There is no workflow with the id ${quoted(id)}, or the owner of this one may not see it.`;
    return { severity: 'error', message };
  }
  if (!starts || reach === undefined) {
    return undefined;
  }
  if (id === naming.workflowId) {
    return naming.settings.reentry === 'always' ? undefined : { severity: 'warning', message: itself };
  }
  if (!reach.covers(header.userId)) {
    return { severity: 'error', message: wider };
  }
  if (!header.enabled) {
    return { severity: 'warning', message: disabled };
  }
  if (!header.plan?.topics.includes('manual.started')) {
    return { severity: 'error', message: unstartable };
  }
  const seesAll =
    other && reachAmong({ userId: other._id, role: other.accessRole }, users).covers(naming.ownerId);
  return seesAll ? undefined : { severity: 'warning', message: narrower };
}

const itself =
  'This is the workflow itself, which starts itself only with the setting reentry always. The step is skipped.';
const wider =
  'It acts with the rights of its owner, which are wider than those of the owner of this workflow. The step fails.';
const disabled = 'It is disabled. The step fails until it is enabled.';
const unstartable = 'It has no trigger with the event manual.started. The step fails.';
const narrower =
  'It acts with the rights of its owner, who may not see all that the owner of this workflow sees. Where that is the contact, the step is skipped.';
