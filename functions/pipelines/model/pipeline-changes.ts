import { stageGuardActions } from '../../../shared/contact-aggregate/stage-guard.ts';
import { type Pipeline, pipelineLimits, readPipelines } from '../../../shared/contacts/pipeline.ts';
import { Failure, notFound } from '../../../shared/kernel/failure.ts';
import type { TableWriter } from '../../../shared/table/table.ts';

/** The new pipelines, and the result for the client. */
interface Decided<Result> {
  /** The given array if nothing changes. */
  readonly pipelines: readonly Pipeline[];
  readonly result: Result;
}

/**
 * Writes what `decide` makes of the organization's pipelines, with the guards of their stages, and calls it again after a conflict.
 * @throws a 409 `Failure` for a removed stage that is not empty, and beyond the limits of an organization.
 */
export function changePipelines<Result>(
  table: TableWriter,
  decide: (pipelines: readonly Pipeline[]) => Decided<Result>,
): Promise<Result> {
  return table.optimistically(async () => {
    const stored = await readPipelines(table);
    if (stored.version === 0) {
      throw notFound('Organization');
    }
    const before = stored.data.pipelines;
    const { pipelines, result } = decide(before);
    if (pipelines !== before) {
      requireAllowed(pipelines);
      await table.commit([
        table.replace(stored, { pipelines: [...pipelines] }),
        ...stageGuardActions(table, before, pipelines),
      ]);
    }
    return result;
  });
}

function requireAllowed(pipelines: readonly Pipeline[]): void {
  const names = new Set(pipelines.map(({ type, name }) => `${type} ${name}`));
  if (names.size < pipelines.length) {
    throw new Failure('CONFLICT', 'Another pipeline of this type already has this name.');
  }
  if (pipelines.length > pipelineLimits.count) {
    throw new Failure(
      'CONFLICT',
      `The organization already has ${pipelineLimits.count} pipelines, the maximum. Delete one first.`,
    );
  }
  if (Buffer.byteLength(JSON.stringify({ pipelines })) > pipelineLimits.bytes) {
    throw new Failure(
      'CONFLICT',
      'All pipelines of an organization together may take at most 256 KB. Use shorter names.',
    );
  }
}
