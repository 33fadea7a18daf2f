import { type TableReader, VersionConflict } from '../../../../shared/table/table.ts';

/** Somebody else has changed the run since it was read: what was decided is out of date. It makes no operation of a step retry. */
export class RunConflict extends Error {
  constructor() {
    super('The run has changed since it was read');
    this.name = 'RunConflict';
  }
}

/** Runs `attempt` again as long as somebody else changes the run meanwhile, as `optimistically` does for a record. */
export function retryOnRunConflict<Result>(
  table: TableReader,
  attempt: () => Promise<Result>,
): Promise<Result> {
  return table.optimistically(() =>
    attempt().catch((error: unknown) => {
      throw error instanceof RunConflict ? new VersionConflict() : error;
    }),
  );
}
