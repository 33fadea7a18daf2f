import { Failure } from '../kernel/failure.ts';
import { nameProof } from '../pipelines/default-stage.ts';
import { activePipeline, type Pipeline, type PipelineType, type Stage } from '../pipelines/pipeline.ts';
import type { Change, Step, TableWriter } from '../table/table.ts';
import { boardCounterKey } from './card.ts';
import { counterShards } from './entries.ts';

/**
 * The gate of a stage lies on each counter of its column. Whoever enters the stage raises one of these anyway, so that a
 * transaction proves at no price what its process remembers of the pipelines. What a gate says follows from the pipelines'
 * record, and changes in the transaction that changes the record:
 * - `closed`: the stage is gone for good. A gate closes only on a counter at zero, so that nothing is left behind.
 * - `default`: the first stage of the active Contact pipeline, with a proof of its name.
 */

/** Required of whatever enters a stage. */
export const isOpen: Pick<Change, 'when' | 'values'> = {
  when: 'attribute_not_exists(gate) OR gate <> :closed',
  values: { closed: 'closed' },
};

/**
 * What must change on the gates when these pipelines take the place of those: eight steps a stage that comes or goes.
 * `returning` are ids of stages that were removed and come back; every other new one has never been there.
 */
export function gateSteps(
  table: TableWriter,
  before: readonly Pipeline[],
  after: readonly Pipeline[],
  returning: ReadonlySet<string> = new Set(),
): Step[] {
  const [were, are] = [gatesOf(before), gatesOf(after)];
  const closing = [...were].filter(([stageId]) => !are.has(stageId));
  const changing = [...are].filter(([stageId, { proof }]) => {
    const former = were.get(stageId);
    return former === undefined ? proof !== undefined || returning.has(stageId) : proof !== former.proof;
  });
  return [
    ...closing.flatMap(([stageId, gate]) => onCounters(table, stageId, closed(gate))),
    ...changing.flatMap(([stageId, gate]) => onCounters(table, stageId, opened(gate))),
  ];
}

interface Gate {
  readonly stage: Stage;
  readonly type: PipelineType;
  /** Of the default stage's name. */
  readonly proof: string | undefined;
}

/** The gates that follow from these pipelines, by stage. */
function gatesOf(pipelines: readonly Pipeline[]): Map<string, Gate> {
  const [defaultStage] = activePipeline(pipelines, 'Contact')?.stages ?? [];
  return new Map(
    pipelines.flatMap(({ type, stages }) =>
      stages.map((stage): [string, Gate] => [
        stage._id,
        { stage, type, proof: stage === defaultStage ? nameProof(stage.name) : undefined },
      ]),
    ),
  );
}

function closed({ stage, type }: Gate): Change {
  return {
    update: 'SET gate = :gate REMOVE named',
    when: 'attribute_not_exists(n) OR n = :none',
    values: { gate: 'closed', none: 0 },
    otherwise: () => notEmpty(stage, type),
  };
}

/** A stage that holds something cannot be removed. */
export function notEmpty({ name }: Stage, type: PipelineType): Failure {
  const what = type === 'Contact' ? 'contacts' : 'applications';
  return new Failure('CONFLICT', `The stage "${name}" still holds ${what}. Move or delete them first.`);
}

function opened({ proof }: Gate): Change {
  return proof === undefined
    ? { update: 'REMOVE gate, named' }
    : { update: 'SET gate = :gate, named = :named', values: { gate: 'default', named: proof } };
}

function onCounters(table: TableWriter, stageId: string, change: Change): Step[] {
  return Array.from({ length: counterShards }, (_, shard) =>
    table.change(boardCounterKey(stageId, ['all'], shard), change),
  );
}
