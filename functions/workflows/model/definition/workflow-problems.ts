import { readUsers, sees } from '../../../../shared/organizations/visibility.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { Plan } from './plan.ts';
import { type Problem, type ProblemOfReference, problemAt, quotation } from './problem.ts';
import { type Rights, rightsAmong } from './rights-of-owner.ts';
import { nodesAtOnce, startingTriggers, triggerKey } from './triggers.ts';
import { type WorkflowHeader, workflowKey } from './workflow.ts';

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
  /** As it is checked, which may not be stored yet. */
  readonly plan: Plan;
}

/** Tells what is wrong with each of these workflows, for one that names them; in one round trip. */
export async function findWorkflowProblems(
  table: TableReader,
  naming: Naming,
  named: readonly NamedWorkflow[],
  most: number,
): Promise<Problem[]> {
  const ids = [...new Set(named.map(({ id }) => id))].slice(0, most);
  if (ids.length === 0) {
    return [];
  }
  const [headers, manualTriggers, users] = await Promise.all([
    table.readMany(ids.map((id) => workflowKey(id))),
    table.readMany(ids.map((id) => triggerKey('manual.started', id))),
    readUsers(table),
  ]);
  const rightsOf = (userId: string) => {
    const user = users.find(({ _id }) => _id === userId);
    return user && rightsAmong({ userId, role: user.accessRole }, users);
  };
  const rights = rightsOf(naming.ownerId);
  const problems = ids.map((id, index) => {
    const header = headers[index]?.data;
    if (header === undefined || (rights && !sees(rights.scope, [header.userId]))) {
      return { named: missing(id), started: missing(id) };
    }
    const triggers =
      id === naming.workflowId
        ? startingTriggers(naming.plan).starting.filter(({ topic }) => topic === 'manual.started').length
        : (manualTriggers[index]?.data.triggers.length ?? 0);
    return { started: rights && problemOfStart(naming, { header, triggers }, rights, rightsOf) };
  });
  const byId = new Map(ids.map((id, index) => [id, problems[index]]));
  return named.flatMap(({ nodeId, path, id, starts }) => {
    const problem = byId.get(id)?.[starts ? 'started' : 'named'];
    return problem === undefined ? [] : [problemAt(nodeId)(problem.severity, `${path}: ${problem.message}`)];
  });
}

interface Started {
  readonly header: WorkflowHeader;
  /** The triggers that start it by hand, or by a step; another workflow has none while it is disabled. */
  readonly triggers: number;
}

function problemOfStart(
  { workflowId, ownerId, plan: { settings } }: Naming,
  { header: { _id, userId, enabled }, triggers }: Started,
  rights: Rights,
  rightsOf: (userId: string) => Rights | undefined,
): ProblemOfReference | undefined {
  const isItself = _id === workflowId;
  if (isItself && settings.reentry !== 'always') {
    return { severity: 'warning', message: itself };
  }
  if (!rights.covers(userId)) {
    return { severity: 'error', message: wider };
  }
  if (!enabled && !isItself) {
    return { severity: 'warning', message: disabled };
  }
  if (triggers === 0 || triggers > nodesAtOnce) {
    return { severity: 'error', message: triggers === 0 ? unstartable : tooMany };
  }
  return rightsOf(userId)?.covers(ownerId) ? undefined : { severity: 'warning', message: narrower };
}

const missing = (id: string): ProblemOfReference => ({
  severity: 'error',
  message: `There is no workflow with the id ${quotation(id)}, or the owner of this one may not see it.`,
});

const itself =
  'This is the workflow itself, which starts itself only with the setting reentry always. The step is skipped.';
const wider =
  'It acts with the rights of its owner, which are wider than those of the owner of this workflow. The step fails.';
const disabled = 'It is disabled. The step fails until it is enabled.';
const unstartable = 'It has no trigger with the event manual.started. The step fails.';
const tooMany = `It has more than ${nodesAtOnce} triggers with the event manual.started. The step fails.`;
const narrower =
  'It acts with the rights of its owner, who may not see all that the owner of this workflow sees. Where that is the contact, the step is skipped.';
