import { Failure } from '../kernel/failure.ts';
import { activePipeline, type Pipeline, type PipelineType, type Stage } from '../pipelines/pipeline.ts';
import { nameDigest } from '../pipelines/stages.ts';
import type { Change, Step, TableWriter } from '../table/table.ts';
import { boardCounterKey, counterShards } from './card.ts';

/**
 * The guard of a stage lies on each counter of its column. Whoever enters the stage raises one of these anyway, so that a
 * transaction proves at no price what its process remembers of the pipelines. What a guard says follows from the pipelines'
 * record, and changes in the transaction that changes the record:
 * - `closed`: the stage is gone for good. A guard closes only on a counter at zero, so that nothing is left behind.
 * - `default`: the first stage of the active Contact pipeline, with a digest of its name.
 */

/**
 * What must change on the guards when these pipelines take the place of those: eight steps a stage that comes or goes.
 * `returning` are ids of stages that were removed and come back; every other new one has never been there.
 */
export function stageGuardSteps(
  table: TableWriter,
  before: readonly Pipeline[],
  after: readonly Pipeline[],
  returning: ReadonlySet<string> = new Set(),
): Step[] {
  const [were, are] = [guardsOf(before), guardsOf(after)];
  const closing = [...were].filter(([stageId]) => !are.has(stageId));
  const changing = [...are].filter(([stageId, { digest }]) => {
    const former = were.get(stageId);
    return former === undefined ? digest !== undefined || returning.has(stageId) : digest !== former.digest;
  });
  return [
    ...closing.flatMap(([stageId, guard]) => onCounters(table, stageId, closed(guard))),
    ...changing.flatMap(([stageId, guard]) => onCounters(table, stageId, opened(guard))),
  ];
}

interface StageGuard {
  readonly stage: Stage;
  readonly type: PipelineType;
  /** Of the default stage's name. */
  readonly digest: string | undefined;
}

/** The guards that follow from these pipelines, by stage. */
function guardsOf(pipelines: readonly Pipeline[]): Map<string, StageGuard> {
  const [defaultStage] = activePipeline(pipelines, 'Contact')?.stages ?? [];
  return new Map(
    pipelines.flatMap(({ type, stages }) =>
      stages.map((stage): [string, StageGuard] => [
        stage._id,
        { stage, type, digest: stage === defaultStage ? nameDigest(stage.name) : undefined },
      ]),
    ),
  );
}

function closed({ stage, type }: StageGuard): Change {
  return {
    update: 'SET guard = :guard REMOVE named',
    when: 'attribute_not_exists(n) OR n = :none',
    values: { guard: 'closed', none: 0 },
    otherwise: () => notEmpty(stage, type),
  };
}

/** A stage that holds something cannot be removed. */
export function notEmpty({ name }: Stage, type: PipelineType): Failure {
  const what = type === 'Contact' ? 'contacts' : 'applications';
  return new Failure('CONFLICT', `The stage "${name}" still holds ${what}. Move or delete them first.`);
}

function opened({ digest }: StageGuard): Change {
  return digest === undefined
    ? { update: 'REMOVE guard, named' }
    : { update: 'SET guard = :guard, named = :named', values: { guard: 'default', named: digest } };
}

function onCounters(table: TableWriter, stageId: string, change: Change): Step[] {
  return Array.from({ length: counterShards }, (_, shard) =>
    table.updateStep(boardCounterKey(stageId, ['all'], shard), change),
  );
}
