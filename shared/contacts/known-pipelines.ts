import { Failure } from '../kernel/failure.ts';
import { remember } from '../kernel/remember.ts';
import { type Stored, type TableReader, VersionConflict } from '../table/table.ts';
import { activePipeline, type Pipeline, type Pipelines, pipelinesKey } from './pipeline.ts';

/** Organizations whose pipelines a warm process caches. */
const capacity = 500;

const remembered = new Map<string, Stored<Pipelines>>();

/**
 * The pipelines as this process last read them. They may be outdated, so check them in the same round trip: by the record's
 * version (the board), or by a condition in the transaction (a new contact).
 */
export function knownPipelines({ organizationId }: TableReader): Stored<Pipelines> | undefined {
  return remembered.get(organizationId);
}

/** Reads the pipelines, and caches them. */
export async function currentPipelines(table: TableReader): Promise<Stored<Pipelines>> {
  const stored = (await table.read(pipelinesKey())) ?? {
    key: pipelinesKey(),
    data: { pipelines: [] },
    version: 0,
  };
  remember(remembered, table.organizationId, stored, capacity);
  return stored;
}

/**
 * Decides with the cached pipelines, and again with the current ones after an error that outdated ones could cause. Only for
 * a decision whose transaction checks what may have changed: a guard (`stage-guard.ts`) proves that a stage still exists, or that
 * it is the default one with this name. No guard proves that there is no default stage, so that needs the current pipelines.
 */
export async function withKnownPipelines<Result>(
  table: TableReader,
  decide: (pipelines: readonly Pipeline[]) => Promise<Result>,
): Promise<Result> {
  const known = knownPipelines(table);
  if (known !== undefined && activePipeline(known.data.pipelines, 'Contact') !== undefined) {
    try {
      return await decide(known.data.pipelines);
    } catch (error) {
      if (!isExplainedByAge(error)) {
        throw error;
      }
    }
  }
  return decide((await currentPipelines(table)).data.pipelines);
}

function isExplainedByAge(error: unknown): boolean {
  return error instanceof VersionConflict || (error instanceof Failure && error.code === 'NOT_FOUND');
}
