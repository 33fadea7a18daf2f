import { stageGuardSteps } from '../../../shared/board/stage-guard.ts';
import { Failure, notFound } from '../../../shared/kernel/failure.ts';
import { currentPipelines } from '../../../shared/pipelines/known-pipelines.ts';
import { type Pipeline, type Pipelines, pipelineLimits } from '../../../shared/pipelines/pipeline.ts';
import type { Stored, TableWriter } from '../../../shared/table/table.ts';
import { partsOf, type RemovedStage, requireEmpty, stagesGone, withStagesBack } from './stage-removal.ts';

/** The new pipelines, and the result for the client. */
interface Decided<Result> {
  /** The given array if nothing changes. */
  readonly pipelines: readonly Pipeline[];
  readonly result: Result;
}

/**
 * Writes what `decide` makes of the organization's pipelines, and calls it again after a conflict. If one transaction cannot
 * close all removed stages, it uses several: when one of them finds a stage that is not empty, it restores those closed before.
 * @throws a 409 `Failure` for a stage that is not empty, and beyond the limits of an organization.
 */
export async function changePipelines<Result>(
  table: TableWriter,
  decide: (pipelines: readonly Pipeline[]) => Decided<Result>,
): Promise<Result> {
  const removed: RemovedStage[] = [];
  try {
    return await table.optimistically(async () => {
      let stored = await currentPipelines(table);
      if (stored.version === 0) {
        throw notFound('Organization');
      }
      const before = stored.data.pipelines;
      const { pipelines: wanted, result } = decide(before);
      if (wanted === before) {
        return result;
      }
      requireAllowed(wanted);
      const parts = partsOf(before, wanted);
      if (parts.length > 1) {
        await requireEmpty(table, stagesGone(before, wanted));
      }
      for (const part of parts) {
        const gone = stagesGone(stored.data.pipelines, part);
        stored = await replacePipelines(table, stored, part);
        removed.push(...(part === wanted ? [] : gone));
      }
      return result;
    });
  } catch (error) {
    // While the table is unavailable nothing can be restored; repeating the request completes the removal.
    if (removed.length > 0 && error instanceof Failure && error.code !== 'UNAVAILABLE') {
      await restore(table, removed);
    }
    throw error;
  }
}

/** Writes the record with its guards. @throws `VersionConflict` when another write came in between. */
async function replacePipelines(
  table: TableWriter,
  stored: Stored<Pipelines>,
  pipelines: readonly Pipeline[],
  returning?: ReadonlySet<string>,
): Promise<Stored<Pipelines>> {
  const data = { pipelines: [...pipelines] };
  await table.commit([
    table.replace(stored, data),
    ...stageGuardSteps(table, stored.data.pipelines, pipelines, returning),
  ]);
  return { ...stored, data, version: stored.version + 1 };
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

/** Restores removed stages, as many at a time as one transaction can open. */
async function restore(table: TableWriter, removed: readonly RemovedStage[]): Promise<void> {
  await table.optimistically(async () => {
    let stored = await currentPipelines(table);
    for (const { pipelines, returning } of withStagesBack(stored.data.pipelines, removed)) {
      stored = await replacePipelines(table, stored, pipelines, returning);
    }
  });
}
