import { boardRange, counterShards } from '../../../shared/board/card.ts';
import { notEmpty } from '../../../shared/board/stage-guard.ts';
import type { Pipeline, Stage } from '../../../shared/pipelines/pipeline.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** Stages that one transaction of 100 steps can close or open, beside the record and the guards of two default stages. */
const stagesAtOnce = 10;

/** A stage removed from its pipeline. */
export interface RemovedStage {
  readonly pipeline: Pick<Pipeline, '_id' | 'type'>;
  readonly stage: Stage;
  /** Its former index in the pipeline. */
  readonly index: number;
}

/** The stages that are missing afterwards, in the order of their pipelines. */
export function stagesGone(before: readonly Pipeline[], after: readonly Pipeline[]): RemovedStage[] {
  const kept = new Set(after.flatMap(({ stages }) => stages.map(({ _id }) => _id)));
  return before.flatMap((pipeline) =>
    pipeline.stages.flatMap((stage, index) => (kept.has(stage._id) ? [] : [{ pipeline, stage, index }])),
  );
}

/**
 * Splits a change so that no part closes more stages than one transaction can. Each part is the pipelines after it; the last one
 * is `after`. The last stages of a pipeline go first, so that its first stage stays the same until the end.
 */
export function partsOf(before: readonly Pipeline[], after: readonly Pipeline[]): (readonly Pipeline[])[] {
  const gone = stagesGone(before, after).map(({ stage }) => stage);
  const parts: (readonly Pipeline[])[] = [];
  let rest = before;
  while (gone.length > stagesAtOnce) {
    const part = new Set(gone.splice(-stagesAtOnce));
    rest = rest.map((pipeline) => ({
      ...pipeline,
      stages: pipeline.stages.filter((stage) => !part.has(stage)),
    }));
    parts.push(rest);
  }
  return [...parts, after];
}

/**
 * Checks the stages before a removal in several parts, so that it rarely has to be undone.
 * @throws a 409 `Failure` for a stage that is not empty.
 */
export async function requireEmpty(table: TableReader, stages: readonly RemovedStage[]): Promise<void> {
  const totals = await Promise.all(stages.map(({ stage }) => totalOf(table, stage)));
  const full = stages.find((_, index) => totals[index] !== 0);
  if (full !== undefined) {
    throw notEmpty(full.stage, full.pipeline.type);
  }
}

async function totalOf(table: TableReader, { _id }: Stage): Promise<number> {
  let total = 0;
  const rows = table.rows(boardRange(_id, ['all']), {
    descending: true,
    limit: counterShards,
    consistent: true,
  });
  for await (const batch of rows) {
    total += batch.reduce((sum, { n = 0 }) => sum + n, 0);
  }
  return total;
}

/**
 * The pipelines with the removed stages at their former indexes, in parts. It skips stages whose pipeline is gone by now or whose
 * name is taken.
 */
export function* withStagesBack(
  pipelines: readonly Pipeline[],
  removed: readonly RemovedStage[],
): Generator<{ pipelines: readonly Pipeline[]; returning: ReadonlySet<string> }> {
  const missing = removed
    .filter(({ pipeline, stage }) => {
      const now = pipelines.find(({ _id }) => _id === pipeline._id);
      return now !== undefined && !now.stages.some(({ name }) => name === stage.name);
    })
    .sort((a, b) => a.index - b.index);
  let rest = pipelines;
  while (missing.length > 0) {
    const part = missing.splice(0, stagesAtOnce);
    rest = rest.map((now) => {
      const own = part.filter(({ pipeline }) => pipeline._id === now._id);
      return own.length === 0
        ? now
        : {
            ...now,
            stages: own.reduce((stages, { stage, index }) => stages.toSpliced(index, 0, stage), now.stages),
          };
    });
    yield { pipelines: rest, returning: new Set(part.map(({ stage }) => stage._id)) };
  }
}
