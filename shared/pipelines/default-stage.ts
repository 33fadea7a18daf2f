import { counterShards } from '../contacts/filing.ts';
import { keys } from '../table/keys.ts';
import type { Change, Step, TableWriter } from '../table/table.ts';
import type { Pipeline } from './pipeline.ts';

/**
 * The first stage of an active pipeline is marked on its counters. A new contact's transaction requires the mark on the
 * counter it raises anyway: so a warm process may use the stages it remembers, without reading, and cannot be wrong.
 */
export const isDefaultStage: Pick<Change, 'when' | 'values'> = {
  when: 'gate = :gate',
  values: { gate: 'default' },
};

/** Moves the mark when another pipeline of the type becomes the active one. */
export function defaultStageSteps(
  table: TableWriter,
  from: Pipeline | undefined,
  to: Pipeline | undefined,
): Step[] {
  const marks = (pipeline: Pipeline | undefined, change: Change) => {
    const stage = pipeline?.stages[0];
    return stage === undefined
      ? []
      : Array.from({ length: counterShards }, (_, shard) =>
          table.change(keys.boardCounter(stage._id, ['all'], shard), change),
        );
  };
  return [
    ...marks(from, { update: 'REMOVE gate' }),
    ...marks(to, { update: 'SET gate = :gate', values: { gate: 'default' } }),
  ];
}
