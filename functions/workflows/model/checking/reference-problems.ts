import { PhoneNumber } from '../../../../shared/contacts/phone-number-field.ts';
import { type Caller, userHere } from '../../../../shared/kernel/caller.ts';
import { assignmentsOf } from '../../../../shared/organizations/phone-assignments.ts';
import { userKey } from '../../../../shared/organizations/user.ts';
import type { Pipeline } from '../../../../shared/pipelines/pipeline.ts';
import { pipelinesKey } from '../../../../shared/pipelines/pipeline.ts';
import { readAll } from '../../../../shared/table/read-all.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { templateKey } from '../../../../shared/templates/template.ts';
import type { Plan } from '../graph/plan.ts';
import { readData } from '../nodes/node-data.ts';
import type { Reference } from '../nodes/node-type.ts';
import { nodeTypeOf } from '../nodes/node-types.ts';
import { type Problem, type ProblemOfReference, problemAt, quoted } from './problem.ts';
import { workflowProblems } from './workflow-problems.ts';

/** Records of one kind that are looked up: more than anybody names, and few to read. */
export const maxLookedUp = 100;

interface Named extends Reference {
  readonly nodeId: string;
}

/** The workflow that is checked. */
export interface Owned {
  readonly _id: string;
  /** The owner. */
  readonly userId: string;
}

/**
 * What the graph names and its owner, as whom it acts, cannot find, and an owner who can do nothing any more. It reads all in one round
 * trip.
 */
export async function referenceProblems(
  table: TableReader,
  caller: Caller,
  plan: Plan,
  { _id: workflowId, userId: ownerId }: Owned,
): Promise<Problem[]> {
  const named = referencesIn(plan);
  const ids = (kind: Reference['kind']) =>
    [...new Set(named.filter((one) => one.kind === kind).map(({ id }) => id))].slice(0, maxLookedUp);
  const { settings } = plan;
  const isWorkflow = ({ kind }: Named) => kind === 'workflow';
  const [templates, users, ofWorkflows, pipelines, numbers, ofOwner] = await Promise.all([
    templatesOf(table, ownerId, ids('template')),
    usersNamed(table, ids('user')),
    workflowProblems(table, { workflowId, ownerId, settings }, named.filter(isWorkflow), maxLookedUp),
    named.some(({ kind }) => kind === 'pipeline' || kind === 'stage')
      ? table.read(pipelinesKey())
      : undefined,
    ids('number').length === 0 ? undefined : activeNumbersOf(table, ownerId),
    ownerId === userHere(caller) ? [] : problemsOfOwner(table, ownerId),
  ]);
  const problemOf = ({ kind, ...one }: Named): ProblemOfReference | undefined => {
    switch (kind) {
      case 'template':
        return templates.get(one.id) === false ? missing(kind, one.id) : undefined;
      case 'user':
        return users.get(one.id);
      case 'workflow':
        return undefined;
      case 'number':
        return numbers?.includes(PhoneNumber.safeParse(one.id).data ?? '') ? undefined : notUsable(one.id);
      default:
        return isInPipelines(pipelines?.data.pipelines ?? [], { kind, ...one })
          ? undefined
          : missing(kind, one.id);
    }
  };
  const others = named.flatMap((one) => {
    const told = problemOf(one);
    return told === undefined ? [] : [problemAt(one.nodeId)(told.severity, `${one.path}: ${told.message}`)];
  });
  return [...ofOwner, ...inOrderOf(plan, [...others, ...ofWorkflows])];
}

/** The problems in the order of their nodes. */
function inOrderOf({ nodes }: Plan, problems: readonly Problem[]): Problem[] {
  const places = new Map(Object.keys(nodes).map((id, index) => [id, index]));
  const placeOf = ({ nodeId }: Problem) => places.get(nodeId ?? '') ?? -1;
  return problems.toSorted((one, other) => placeOf(one) - placeOf(other));
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
  message: missingTexts[kind](quoted(id)),
});

const notUsable = (number: string): ProblemOfReference => ({
  severity: 'error',
  message: `${quoted(number)} is not one of the active phone numbers of the owner of this workflow.`,
});

async function activeNumbersOf(table: TableReader, userId: string): Promise<readonly string[]> {
  const numbers = await assignmentsOf(table, userId);
  return numbers.filter(({ status }) => status === 'active').map(({ phoneNumber }) => phoneNumber);
}

function referencesIn({ nodes }: Plan): Named[] {
  return Object.values(nodes).flatMap(({ id: nodeId, type, data }) => {
    const nodeType = nodeTypeOf(type);
    const read = nodeType?.references && readData(nodeType.schema, data);
    const references = read?.success ? (nodeType?.references?.(read.data) ?? []) : [];
    return references.map((reference) => ({ ...reference, nodeId }));
  });
}

/** Whether each of these exists for a user, by id. */
type Existence = Promise<ReadonlyMap<string, boolean>>;

async function templatesOf(table: TableReader, userId: string, ids: readonly string[]): Existence {
  const keys = (id: string) => [templateKey(['shared'], id), templateKey(['user', userId], id)];
  const found = ids.length === 0 ? [] : await readAll(table, ids.flatMap(keys));
  return new Map(
    ids.map((id, index) => [id, found.slice(2 * index, 2 * index + 2).some((one) => one !== undefined)]),
  );
}

/** What is wrong with users, by id. A disabled one may be named: what the step does with it is then seldom meant. */
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
      const message = `The user with the id ${quoted(id)} is disabled.`;
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
    .some(({ stages }) => stages.some(({ _id, name }) => _id === id || name === id));
}

async function problemsOfOwner(table: TableReader, ownerId: string): Promise<Problem[]> {
  const owner = await table.read(userKey(ownerId));
  return owner?.data.disabled === false
    ? []
    : [
        problemAt(null)(
          'error',
          'The owner of this workflow is not an active user of the organization, so every step that acts as the owner is skipped.',
        ),
      ];
}
