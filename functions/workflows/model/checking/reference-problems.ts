import { type Caller, userHere } from '../../../../shared/kernel/caller.ts';
import { userKey } from '../../../../shared/organizations/user.ts';
import type { Pipeline } from '../../../../shared/pipelines/pipeline.ts';
import { pipelinesKey } from '../../../../shared/pipelines/pipeline.ts';
import { named } from '../../../../shared/same-names.ts';
import { readAll } from '../../../../shared/table/read-all.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { templateKey } from '../../../../shared/templates/template.ts';
import type { Reference } from '../effects/reference.ts';
import type { Plan } from '../graph/plan.ts';
import { readData } from '../nodes/node-data.ts';
import { nodeTypeOf } from '../nodes/node-types.ts';
import { numberProblems, type SenderSources } from './number-problems.ts';
import { type Problem, type ProblemOfReference, problemAt, quoted } from './problem.ts';
import { workflowProblems } from './workflow-problems.ts';

/** Records of one kind that are looked up: more than anybody names, and few to read. */
export const maxLookedUp = 100;

interface Named extends Reference {
  readonly nodeId: string;
}

/** Where to look up what a graph names. */
export interface ReferenceSources extends SenderSources {
  readonly caller: Caller;
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
  { table, caller, newcomerPolicy }: ReferenceSources,
  plan: Plan,
  { _id: workflowId, userId: ownerId }: Owned,
): Promise<Problem[]> {
  const { named, sendsByDefault } = referencesIn(plan);
  const ofKind = (kind: Reference['kind']) => named.filter((one) => one.kind === kind);
  const ids = (kind: Reference['kind']) =>
    [...new Set(ofKind(kind).map(({ id }) => id))].slice(0, maxLookedUp);
  const [templates, users, ofWorkflows, pipelines, ofNumbers, ofOwner] = await Promise.all([
    templatesOf(table, ownerId, ids('template')),
    usersNamed(table, ids('user')),
    workflowProblems(table, { workflowId, ownerId, plan }, ofKind('workflow'), maxLookedUp),
    named.some(({ kind }) => kind === 'pipeline' || kind === 'stage')
      ? table.read(pipelinesKey())
      : undefined,
    numberProblems({ table, newcomerPolicy }, ownerId, {
      named: ofKind('number'),
      byDefault: sendsByDefault,
    }),
    ownerId === userHere(caller) ? [] : problemsOfOwner(table, ownerId),
  ]);
  const problemOf = ({ kind, ...one }: Named): ProblemOfReference | undefined => {
    switch (kind) {
      case 'template':
        return templates.get(one.id) === false ? missing(kind, one.id) : undefined;
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

/** What the nodes name, and whether one of them sends from the default number of the owner. */
function referencesIn({ nodes }: Plan): {
  readonly named: readonly Named[];
  readonly sendsByDefault: boolean;
} {
  const named: Named[] = [];
  let sendsByDefault = false;
  for (const { id: nodeId, type, data } of Object.values(nodes)) {
    const { schema, references, sendsByDefault: sends } = nodeTypeOf(type) ?? {};
    const read = schema && references && readData(schema, data);
    if (read?.success) {
      named.push(...(references?.(read.data) ?? []).map((reference) => ({ ...reference, nodeId })));
      sendsByDefault ||= sends?.(read.data) === true;
    }
  }
  return { named, sendsByDefault };
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

/** What is wrong with users, by id. Naming a disabled user is allowed, but seldom intended. */
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
    .some(({ stages }) => stages.some(({ _id }) => _id === id) || named(stages)(id) !== undefined);
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
