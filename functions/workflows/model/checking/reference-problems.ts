import type { Caller } from '../../../../shared/kernel/caller.ts';
import { userKey } from '../../../../shared/organizations/user.ts';
import type { Pipeline } from '../../../../shared/pipelines/pipeline.ts';
import { pipelinesKey } from '../../../../shared/pipelines/pipeline.ts';
import { readAll } from '../../../../shared/table/read-all.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import { templateKey } from '../../../../shared/templates/template.ts';
import { scopeOf, sees } from '../../../../shared/visibility.ts';
import type { Plan } from '../graph/plan.ts';
import { readData } from '../nodes/node-data.ts';
import type { Reference } from '../nodes/node-type.ts';
import { nodeTypeOf } from '../nodes/node-types.ts';
import { workflowKey } from '../workflow.ts';
import { type Problem, problemAt, quoted } from './problem.ts';

/** Records of one kind that are looked up: more than anybody names, and few to read. */
export const mostLookedUp = 100;

interface Named extends Reference {
  readonly nodeId: string;
}

/**
 * What the graph names and this caller cannot find, and an owner who can do nothing any more. It reads all in one round trip.
 * @param ownerId undefined for an owner who is the caller.
 */
export async function referenceProblems(
  table: TableReader,
  caller: Caller,
  plan: Plan,
  ownerId: string | undefined,
): Promise<Problem[]> {
  const named = referencesIn(plan);
  const ids = (kind: Reference['kind']) =>
    [...new Set(named.filter((one) => one.kind === kind).map(({ id }) => id))].slice(0, mostLookedUp);
  const [templates, users, workflows, pipelines, ownerProblems] = await Promise.all([
    templatesOf(table, caller, ids('template')),
    usersOf(table, ids('user')),
    workflowsOf(table, caller, ids('workflow')),
    named.some(({ kind }) => kind === 'pipeline' || kind === 'stage')
      ? table.read(pipelinesKey())
      : undefined,
    ownerId === undefined ? [] : problemsOfOwner(table, ownerId),
  ]);
  const found: Record<'template' | 'user' | 'workflow', ReadonlyMap<string, boolean>> = {
    ...{ template: templates, user: users, workflow: workflows },
  };
  const isMissing = (one: Named) =>
    one.kind === 'pipeline' || one.kind === 'stage'
      ? !isInPipelines(pipelines?.data.pipelines ?? [], one)
      : found[one.kind].get(one.id) === false;
  return [
    ...ownerProblems,
    ...named
      .filter(isMissing)
      .map(({ nodeId, kind, id, path }) =>
        problemAt(nodeId)('error', `${path}: ${missing[kind](quoted(id))}`),
      ),
  ];
}

const missing: Record<Reference['kind'], (id: string) => string> = {
  template: (id) => `There is no template with the id ${id}, or you may not use it.`,
  user: (id) => `There is no active user with the id ${id}.`,
  workflow: (id) => `There is no workflow with the id ${id}, or you may not see it.`,
  pipeline: (id) => `There is no pipeline of the right type with the id ${id}.`,
  stage: (id) => `There is no stage with the id or the name ${id} that it could be moved to.`,
};

function referencesIn({ nodes }: Plan): Named[] {
  return Object.values(nodes).flatMap(({ id: nodeId, type, data }) => {
    const nodeType = nodeTypeOf(type);
    const read = nodeType?.references && readData(nodeType.schema, data);
    const references = read?.success ? (nodeType?.references?.(read.data) ?? []) : [];
    return references.map((reference) => ({ ...reference, nodeId }));
  });
}

/** Whether each of these exists for the caller, by id. */
type Existence = Promise<ReadonlyMap<string, boolean>>;

async function templatesOf(table: TableReader, { userId }: Caller, ids: readonly string[]): Existence {
  const keys = (id: string) => [templateKey(['shared'], id), templateKey(['user', userId], id)];
  const found = ids.length === 0 ? [] : await readAll(table, ids.flatMap(keys));
  return new Map(
    ids.map((id, index) => [id, found.slice(2 * index, 2 * index + 2).some((one) => one !== undefined)]),
  );
}

async function usersOf(table: TableReader, ids: readonly string[]): Existence {
  const found = ids.length === 0 ? [] : await table.readMany(ids.map(userKey));
  return new Map(ids.map((id, index) => [id, found[index]?.data.disabled === false]));
}

async function workflowsOf(table: TableReader, caller: Caller, ids: readonly string[]): Existence {
  if (ids.length === 0) {
    return new Map();
  }
  const [found, scope] = await Promise.all([
    table.readMany(ids.map((id) => workflowKey(id))),
    scopeOf(caller, table),
  ]);
  return new Map(
    ids.map((id, index) => {
      const header = found[index]?.data;
      return [id, header !== undefined && sees(scope, [header.userId])];
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
