import { counterShards } from '../contacts/entries.ts';
import { keys } from '../table/keys.ts';
import type { Change, Step, TableWriter } from '../table/table.ts';
import type { Pipeline } from './pipeline.ts';

/**
 * The first stage of the active Contact pipeline is marked on its counters. A new contact's transaction requires the mark on the
 * counter it raises anyway: so a warm process may use the stages it remembers, without reading, and cannot be wrong.
 */
export const isDefaultStage: Pick<Change, 'when' | 'values'> = {
  when: 'gate = :gate',
  values: { gate: 'default' },
};

/** Moves the mark when another Contact pipeline becomes the active one; other types have no contacts entering. */
export function defaultStageSteps(
  table: TableWriter,
  from: Pipeline | undefined,
  to: Pipeline | undefined,
): Step[] {
  const marks = (pipeline: Pipeline | undefined, change: Change) => {
    const stage = pipeline?.type === 'Contact' ? pipeline.stages[0] : undefined;
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
