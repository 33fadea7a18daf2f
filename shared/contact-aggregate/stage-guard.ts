import { isDeepStrictEqual } from 'node:util';
import { activePipeline, type Pipeline, type PipelineType, type Stage } from '../contacts/pipeline.ts';
import { nameDigest, type StageCondition } from '../contacts/stages.ts';
import { Failure } from '../kernel/failure.ts';
import type { Key } from '../table/key.ts';
import type { Action, Change, TableWriter } from '../table/table.ts';
import { attributesFor, boardCounterKey, counterShards, pipelinesAttribute } from './counters.ts';

/**
 * The guard of a stage is on each counter of its pipeline. Entering a stage raises one of these counters anyway, so the transaction
 * can check for free what the process has cached of the pipelines. The guards follow from the pipelines' record and change in the
 * same transaction:
 * - `closed`: the stage is gone for good. A guard closes only on a counter at zero, so that nothing remains in the stage.
 * - `default …`: the first stage of the active Contact pipeline, with a digest of its name.
 */
const closed = 'closed';
const defaultNamed = (digest: string) => `default ${digest}`;

/** The condition on the counter that a contact raises when it enters a stage. */
export function guardCondition(
  stageId: string,
  condition: StageCondition,
): Required<Pick<Change, 'when' | 'values'>> {
  const { guard } = attributesFor(stageId);
  return condition.defaultNamed === undefined
    ? { when: `(attribute_not_exists(${guard}) OR ${guard} <> :closed)`, values: { closed } }
    : { when: `${guard} = :default`, values: { default: defaultNamed(condition.defaultNamed) } };
}

/**
 * The changes of the counters of changed pipelines: eight actions for each pipeline with a guard that changes, else one. `version` is that
 * of the pipelines' record afterwards.
 */
export function stageGuardActions(
  table: TableWriter,
  before: readonly Pipeline[],
  after: readonly Pipeline[],
  version: number,
): Action[] {
  const [were, are] = [guardsOf(before), guardsOf(after)];
  const closing = [...were.values()].filter(({ stage }) => !are.has(stage._id));
  const opening = [...are.values()].filter(({ stage, digest }) => were.get(stage._id)?.digest !== digest);
  const changed = new Set([
    ...[...closing, ...opening].map(({ pipelineId }) => pipelineId),
    ...before.filter((pipeline) => isChanged(pipeline, after)).map(({ _id }) => _id),
  ]);
  const ofPipeline = (guards: readonly StageGuard[], id: string) =>
    guards.filter(({ pipelineId }) => pipelineId === id);
  return [...changed].flatMap((pipelineId) => {
    const [first, ...others] = Array.from({ length: counterShards }, (_, shard) =>
      boardCounterKey(pipelineId, ['all'], shard),
    ) as [Key<never>, ...Key<never>[]];
    const own = [ofPipeline(closing, pipelineId), ofPipeline(opening, pipelineId)] as const;
    const hasGuards = own.some((guards) => guards.length > 0);
    return [
      table.updateAction(first, changeOf(...own, version)),
      ...(hasGuards ? others.map((key) => table.updateAction(key, changeOf(...own))) : []),
    ];
  });
}

/** Whether what a board shows of the pipeline changes: its stages, or whether it is the active one. */
function isChanged({ _id, isActive, stages }: Pipeline, after: readonly Pipeline[]): boolean {
  const now = after.find((pipeline) => pipeline._id === _id);
  return now?.isActive !== isActive || !isDeepStrictEqual(now.stages, stages);
}

interface StageGuard {
  readonly stage: Stage;
  readonly pipelineId: string;
  readonly type: PipelineType;
  /** For the default stage's name. */
  readonly digest: string | undefined;
}

/** The guards of these pipelines, by stage. */
function guardsOf(pipelines: readonly Pipeline[]): Map<string, StageGuard> {
  const [defaultStage] = activePipeline(pipelines, 'Contact')?.stages ?? [];
  return new Map(
    pipelines.flatMap(({ _id: pipelineId, type, stages }) =>
      stages.map((stage): [string, StageGuard] => [
        stage._id,
        {
          stage,
          pipelineId,
          type,
          digest: stage === defaultStage ? nameDigest(stage.name) : undefined,
        },
      ]),
    ),
  );
}

/** The change of a counter that closes some stages, which must be empty, and sets or removes the mark of the default stage. */
function changeOf(closing: readonly StageGuard[], opening: readonly StageGuard[], version?: number): Change {
  const sets = version === undefined ? [] : [`${pipelinesAttribute} = :version`];
  const removes: string[] = [];
  const values: Record<string, string | number> = version === undefined ? {} : { version };
  for (const { stage } of closing) {
    const { guard, count, version } = attributesFor(stage._id);
    sets.push(`${guard} = :closed`);
    removes.push(count, version);
    Object.assign(values, { closed, none: 0 });
  }
  for (const { stage, digest } of opening) {
    const { guard } = attributesFor(stage._id);
    if (digest === undefined) {
      removes.push(guard);
    } else {
      sets.push(`${guard} = :default`);
      values.default = defaultNamed(digest);
    }
  }
  const update = [
    ...(sets.length === 0 ? [] : [`SET ${sets.join(', ')}`]),
    ...(removes.length === 0 ? [] : [`REMOVE ${removes.join(', ')}`]),
  ].join(' ');
  const when = closing
    .map(({ stage }) => attributesFor(stage._id).count)
    .map((count) => `(attribute_not_exists(${count}) OR ${count} = :none)`)
    .join(' AND ');
  return {
    update,
    ...(Object.keys(values).length === 0 ? {} : { values }),
    ...(when === '' ? {} : { when, otherwise: (existing) => notEmpty(closing, existing) }),
  };
}

/** The error for removing stages of which one is not empty, by a counter of their pipeline. */
function notEmpty(
  closing: readonly StageGuard[],
  counter: Readonly<Record<string, unknown>> | undefined,
): Failure {
  const full = closing.find(({ stage }) => Number(counter?.[attributesFor(stage._id).count] ?? 0) > 0);
  const what = (full ?? closing[0])?.type === 'Application' ? 'applications' : 'contacts';
  return new Failure(
    'CONFLICT',
    `The stage "${full?.stage.name ?? ''}" still holds ${what}. Move or delete them first.`,
  );
}
