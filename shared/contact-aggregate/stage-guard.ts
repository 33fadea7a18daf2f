import type { Pipeline, PipelineType, Stage } from '../contacts/pipeline.ts';
import { Failure } from '../kernel/failure.ts';
import type { Action, Change, TableWriter } from '../table/table.ts';
import { attributesFor, boardCounterKey, counterShards } from './counters.ts';

/**
 * The guard of a stage is on each counter of its pipeline. It closes when the stage is removed, in the transaction that does so, and only on
 * a counter at zero. Entering a stage raises one of these counters, so nothing enters a stage that is gone, and nothing remains in one.
 */
const closed = 'closed';

/** The condition on the counter that a record raises when it enters a stage. */
export function guardCondition(stageId: string): Required<Pick<Change, 'when' | 'values'>> {
  const { guard } = attributesFor(stageId);
  return { when: `(attribute_not_exists(${guard}) OR ${guard} <> :closed)`, values: { closed } };
}

/** A stage that is removed. */
interface ClosingStage extends Stage {
  readonly type: PipelineType;
}

/** Closes the stages that these changes remove: 16 actions for each pipeline of such stages. */
export function stageGuardActions(
  table: TableWriter,
  before: readonly Pipeline[],
  after: readonly Pipeline[],
): Action[] {
  const remaining = new Set(after.flatMap(({ stages }) => stages.map(({ _id }) => _id)));
  return before.flatMap(({ _id: pipelineId, type, stages }) => {
    const closing = stages
      .filter(({ _id }) => !remaining.has(_id))
      .map((stage): ClosingStage => ({ ...stage, type }));
    return closing.length === 0
      ? []
      : (['all', 'archived'] as const).flatMap((view) =>
          Array.from({ length: counterShards }, (_, shard) =>
            table.updateAction(boardCounterKey(pipelineId, [view], shard), closingOf(closing, view)),
          ),
        );
  });
}

/** The change of a counter that closes these stages, which must be empty. */
function closingOf(closing: readonly ClosingStage[], view: 'all' | 'archived'): Change {
  const attributes = closing.map(({ _id }) => attributesFor(_id));
  const removed = attributes.flatMap(({ count, version }) => [count, version]);
  return {
    update: `SET ${attributes.map(({ guard }) => `${guard} = :closed`).join(', ')} REMOVE ${removed.join(', ')}`,
    values: { closed, none: 0 },
    when: attributes.map(({ count }) => `(attribute_not_exists(${count}) OR ${count} = :none)`).join(' AND '),
    otherwise: (existing) => notEmpty(closing, view, existing),
  };
}

/** The error for removing stages of which one is not empty, by a counter of their pipeline. */
function notEmpty(
  closing: readonly ClosingStage[],
  view: 'all' | 'archived',
  counter: Readonly<Record<string, unknown>> | undefined,
): Failure {
  const full = closing.find(({ _id }) => Number(counter?.[attributesFor(_id).count] ?? 0) > 0) ?? closing[0];
  const isOfApplications = full?.type === 'Application';
  const [what, then] =
    view === 'all'
      ? [isOfApplications ? 'applications' : 'contacts', 'Move or delete them first.']
      : [
          isOfApplications ? 'applications of archived contacts' : 'archived contacts',
          'Restore and move them, or delete them first.',
        ];
  return new Failure('CONFLICT', `The stage "${full?.name ?? ''}" still holds ${what}. ${then}`);
}
