import { PhoneNumber } from '../../../../shared/contacts/phone-number-field.ts';
import { type Pipeline, pipelinesKey } from '../../../../shared/contacts/pipeline.ts';
import { type Caller, type Role, userHere } from '../../../../shared/kernel/caller.ts';
import { named } from '../../../../shared/kernel/names/same-names.ts';
import { findUsableTemplates } from '../../../../shared/messages/template.ts';
import { defaultAssignment, readAssignments } from '../../../../shared/organizations/phone-assignments.ts';
import { effectiveTextPolicy, textSettings } from '../../../../shared/organizations/text-settings.ts';
import type { TrialPolicy } from '../../../../shared/organizations/trial-policy.ts';
import { userKey } from '../../../../shared/organizations/user.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { type Reach, roleWithin } from '../../../../shared/workflows/own-workflows.ts';
import { idsToLookUp, maxLookedUp, type Named, referencesIn } from './catalogue.ts';
import { isConfirmedText } from './confirmed.ts';
import type { Reference } from './node-type.ts';
import { asIfEnabled, type Confirmed, type Plan } from './plan.ts';
import { type Problem, type ProblemOfReference, problemAt, quotation } from './problem.ts';
import type { WorkflowHeader } from './workflow.ts';
import { findWorkflowProblems } from './workflow-problems.ts';

/** Where to look up what a graph names. */
export interface ReferenceSources extends SenderSources {
  readonly caller: Caller;
}

/**
 * Finds what the graph names and its owner, as whom it acts, cannot find; an owner who can do nothing any more; and what somebody has to confirm
 * again. It reads all in one round trip, and another one if a DEPARTMENT_HEAD has changed a template.
 */
export async function findReferenceProblems(
  { table, caller, trialPolicy }: ReferenceSources,
  plan: Plan,
  { _id: workflowId, userId: ownerId, enabled, plan: state, most }: WorkflowHeader,
): Promise<Problem[]> {
  // The texts of a disabled workflow are confirmed when it is enabled.
  const confirmed = enabled && state !== undefined ? state.confirmed : asIfEnabled;
  const { named, sendsByDefault } = referencesIn(plan);
  const ofKind = (kind: Reference['kind']) => named.filter((one) => one.kind === kind);
  const [templates, users, ofWorkflows, pipelines, ofNumbers, ofOwner] = await Promise.all([
    templatesNamed(table, ownerId, idsToLookUp(named, 'template'), confirmed),
    usersNamed(table, idsToLookUp(named, 'user')),
    findWorkflowProblems(table, { workflowId, ownerId, plan }, ofKind('workflow'), maxLookedUp),
    named.some(({ kind }) => kind === 'pipeline' || kind === 'stage')
      ? table.read(pipelinesKey())
      : undefined,
    findNumberProblems({ table, trialPolicy }, ownerId, {
      named: ofKind('number'),
      byDefault: sendsByDefault,
    }),
    ownerId === userHere(caller) && most === undefined ? [] : problemsOfOwner(table, ownerId, enabled, most),
  ]);
  const problemOf = ({ kind, ...one }: Named): ProblemOfReference | undefined => {
    switch (kind) {
      case 'template':
        return templates.get(one.id);
      case 'user':
        return users.get(one.id);
      case 'workflow':
      case 'number':
        return undefined;
      default:
        return isInPipelines(pipelines?.data.pipelines ?? [], { kind, ...one })
          ? undefined
          : missing(kind, one.id);
    }
  };
  const others = named.flatMap((one) => {
    const problem = problemOf(one);
    return problem === undefined
      ? []
      : [problemAt(one.nodeId)(problem.severity, `${one.path}: ${problem.message}`)];
  });
  return [...ofOwner, ...inOrderOf(plan, [...others, ...ofWorkflows, ...ofNumbers])];
}

/** The problems in the order of their nodes. */
function inOrderOf({ nodes }: Plan, problems: readonly Problem[]): Problem[] {
  const positions = new Map(Object.keys(nodes).map((id, index) => [id, index]));
  const positionOf = ({ nodeId }: Problem) => positions.get(nodeId ?? '') ?? -1;
  return problems.toSorted((problem, other) => positionOf(problem) - positionOf(other));
}

const missingTexts = {
  template: (id: string) =>
    `There is no template with the id ${id}, or the owner of this workflow may not use it.`,
  user: (id: string) => `There is no user with the id ${id}.`,
  pipeline: (id: string) => `There is no pipeline of the right type with the id ${id}.`,
  stage: (id: string) => `There is no stage with the id or the name ${id} that it could be moved to.`,
} as const;

const missing = (kind: keyof typeof missingTexts, id: string): ProblemOfReference => ({
  severity: 'error',
  message: missingTexts[kind](quotation(id)),
});

/** The problems of templates, by id. */
async function templatesNamed(
  table: TableReader,
  userId: string,
  ids: readonly string[],
  confirmed: Confirmed | undefined,
): Promise<ReadonlyMap<string, ProblemOfReference>> {
  const found = await findUsableTemplates(table, { userId }, ids);
  const problems = ids.map(async (id): Promise<(readonly [string, ProblemOfReference])[]> => {
    const template = found.get(id);
    if (template === undefined) {
      return [[id, missing('template', id)]];
    }
    const isConfirmed = await isConfirmedText(table, userId, template, confirmed);
    return isConfirmed ? [] : [[id, { severity: 'error', message: changedText(template.name) }]];
  });
  return new Map((await Promise.all(problems)).flat());
}

const changedText = (name: string) =>
  `The text of the template ${quotation(name)} was changed after this workflow was last saved or enabled, by somebody without the rights of its owner, so the step is skipped. Read the text, then save the workflow with its nodes, and with running=move for runs under way; or an ADMIN saves the template with its text.`;

/** The problems of users, by id. Naming a disabled user is allowed, but seldom intended. */
async function usersNamed(
  table: TableReader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ProblemOfReference>> {
  const found = ids.length === 0 ? [] : await table.readMany(ids.map(userKey));
  return new Map(
    ids.flatMap((id, index): (readonly [string, ProblemOfReference])[] => {
      const user = found[index]?.data;
      if (user === undefined) {
        return [[id, missing('user', id)]];
      }
      const message = `The user with the id ${quotation(id)} is disabled.`;
      return user.disabled ? [[id, { severity: 'warning', message }]] : [];
    }),
  );
}

function isInPipelines(
  pipelines: readonly Pipeline[],
  { kind, id, pipelineType, pipelineId }: Named,
): boolean {
  const ofType = pipelines.filter(({ type }) => pipelineType === undefined || type === pipelineType);
  if (kind === 'pipeline') {
    return ofType.some(({ _id }) => _id === id);
  }
  return ofType
    .filter(({ _id }) => pipelineId === undefined || _id === pipelineId)
    .some(({ stages }) => stages.some(({ _id }) => _id === id) || named(stages)(id) !== undefined);
}

async function problemsOfOwner(
  table: TableReader,
  ownerId: string,
  enabled: boolean,
  most: Reach | undefined,
): Promise<Problem[]> {
  const owner = await table.read(userKey(ownerId));
  if (owner?.data.disabled !== false) {
    return [problemAt(null)('error', inactiveOwner)];
  }
  const role = roleWithin(owner.data, most);
  return role === owner.data.accessRole ? [] : [problemAt(null)('warning', boundTo(role, enabled))];
}

const inactiveOwner =
  'The owner of this workflow is not an active user of the organization, so every step that acts as the owner is skipped.';

const boundTo = (role: Role, enabled: boolean) =>
  `This workflow ${enabled ? `acts with the earlier rights of its owner, as ${role}` : 'gets all rights of its owner when it is enabled'}: somebody else changed it before the owner got wider ones. Check it; then its owner or an ADMIN saves it with its nodes, and with running=move for runs under way.`;

/** Where to look up the numbers that the owner of a workflow may send from. */
export interface SenderSources {
  readonly table: TableReader;
  readonly trialPolicy: TrialPolicy;
}

/** The numbers that the steps of a graph send from. */
interface Senders {
  readonly named: readonly { readonly nodeId: string; readonly path: string; readonly id: string }[];
  /** Whether a step sends from the owner's default number. */
  readonly byDefault: boolean;
}

/** The problems of the numbers that steps send from: those of the whole workflow first. In one round trip. */
async function findNumberProblems(
  { table, trialPolicy }: SenderSources,
  ownerId: string,
  { named, byDefault }: Senders,
): Promise<Problem[]> {
  if (named.length === 0 && !byDefault) {
    return [];
  }
  const [numbers, settings] = await Promise.all([
    readAssignments(table, ownerId),
    byDefault ? table.read(textSettings.key, { consistent: false }) : undefined,
  ]);
  const { standardSender } = effectiveTextPolicy(settings?.data, trialPolicy);
  const active = new Set(
    numbers.filter(({ status }) => status === 'active').map(({ phoneNumber }) => phoneNumber),
  );
  const isLacking = byDefault && !standardSender && defaultAssignment(numbers) === undefined;
  return [
    ...(isLacking ? [problemAt(null)('warning', nothingToSendFrom)] : []),
    ...named
      .filter(({ id }) => !active.has(PhoneNumber.safeParse(id).data ?? ''))
      .map(({ nodeId, path, id }) =>
        problemAt(nodeId)(
          'error',
          `${path}: ${quotation(id)} is not one of the active phone numbers of the owner of this workflow.`,
        ),
      ),
  ];
}

const nothingToSendFrom =
  'The owner of this workflow has no active default phone number. Steps that send a text from it fail, unless the contact has written to a number of the organization.';
