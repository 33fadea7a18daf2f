import { Failure } from '../kernel/failure.ts';
import { activePipeline, type Pipeline, type PipelineType, type Stage } from '../pipelines/pipeline.ts';
import { nameDigest } from '../pipelines/stages.ts';
import type { Change, Step, TableWriter } from '../table/table.ts';
import { boardCounterKey, counterShards } from './card.ts';

/**
 * The guard of a stage is on each counter of its column. Entering a stage raises one of these counters anyway, so the transaction
 * can check for free what the process remembers of the pipelines. The guards follow from the pipelines' record and change in the
 * same transaction:
 * - `closed`: the stage is gone for good. A guard closes only on a counter at zero, so that nothing remains in the stage.
 * - `default`: the first stage of the active Contact pipeline, with a digest of its name.
 */

/**
 * The changes of the guards for changed pipelines: eight steps for each added or removed stage. `returning` are ids of removed
 * stages that return; all other new stages never existed.
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
  /** For the default stage's name. */
  readonly digest: string | undefined;
}

/** The guards of these pipelines, by stage. */
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

/** The error for removing a stage that is not empty. */
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
