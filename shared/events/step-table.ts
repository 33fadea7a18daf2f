import type { Origin } from '../kernel/actor.ts';
import type { Action, TableWriter } from '../table/table.ts';

/** The table for an operation within a step of something larger. */
export interface StepTable extends TableWriter {
  /** Whether the operation has committed, and the step with it. */
  hasCommitted(): boolean;
}

/**
 * The table for an operation within a step: what the operation commits becomes one transaction with the writes of the step, so that neither
 * happens without the other. It takes one commit that succeeds, beside those that only go ahead of it; more of them, and writes beside it,
 * are a defect of the operation, because the step could be repeated after the first.
 * @param joined the whole transaction for what the operation commits. Called for each try of the operation.
 */
export function stepTable(
  table: TableWriter,
  origin: Origin,
  joined: (actions: readonly Action[]) => readonly Action[],
): StepTable {
  let committed = false;
  return {
    ...table,
    origin,
    async commit(actions, options) {
      if (committed) {
        throw new Error('An operation within a step committed a second time');
      }
      if (options?.isAhead) {
        return table.commit(actions, options);
      }
      await table.commit(joined(actions));
      committed = true;
    },
    update: outsideTransaction,
    deleteMany: outsideTransaction,
    putMany: outsideTransaction,
    hasCommitted: () => committed,
  };
}

async function outsideTransaction(): Promise<never> {
  throw new Error('An operation within a step wrote outside its transaction');
}
