import { Failure } from '../kernel/failure.ts';
import { remember } from '../remember.ts';
import { type Stored, type TableReader, VersionConflict } from '../table/table.ts';
import { activePipeline, type Pipeline, type Pipelines, pipelinesKey } from './pipeline.ts';

/** Organizations whose pipelines a warm process remembers. */
const capacity = 500;

const remembered = new Map<string, Stored<Pipelines>>();

/**
 * The pipelines as this process last saw them: perhaps outdated, so whoever uses them must check, in the same round trip,
 * against the record's version (the board) or by a condition in the transaction (a new contact).
 */
export function knownPipelines({ organizationId }: TableReader): Stored<Pipelines> | undefined {
  return remembered.get(organizationId);
}

/** The pipelines as they are. */
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
 * Decides with the pipelines remembered, and again with the current ones where that fails in a way that being outdated
 * explains. For a decision whose transaction proves what may have changed: that a stage is still there, and that it is the
 * default one and called so, its guard tells (`stage-guard.ts`). That there is no default one, no guard tells: then only the current
 * ones will do.
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
