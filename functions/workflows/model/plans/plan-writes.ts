import { after, day, epochSeconds } from '../../../../shared/kernel/time.ts';
import { workflowObjectsKey } from '../../../../shared/objects/owned-objects.ts';
import type { Step, TableWriter } from '../../../../shared/table/table.ts';
import { type PackedDocument, packedDocument } from '../documents.ts';
import { compilePlan, planDigest } from '../graph/compile-plan.ts';
import type { Plan } from '../graph/plan.ts';
import type { Topic } from '../topics/topics.ts';
import type { PlanState, WorkflowHeader } from '../workflow.ts';
import { planKey } from './plan-row.ts';
import { mostMoves, runChangesKey } from './run-changes.ts';
import { awaitedTopicKey, type TriggerRow, triggerKey } from './trigger-rows.ts';
import { startingTriggers } from './triggers-in-plan.ts';

/** How long a superseded plan stays: longer than any run that started on it. */
export const supersededFor = 366 * day;

/** What an edit does to a workflow's plan and triggers. */
export interface PlanWrites {
  /** The header's `plan` afterwards. */
  readonly state: PlanState | undefined;
  /** A new plan, to be stored with the document. */
  readonly packed?: PackedDocument;
  /** In the transaction of the header. */
  readonly steps: readonly Step[];
}

/** What an edit changes, as far as runs are concerned. */
export interface Edit {
  readonly before: WorkflowHeader | undefined;
  readonly after: Pick<WorkflowHeader, '_id' | 'userId' | 'enabled'>;
  /** The document afterwards. */
  readonly document: string;
  /** Whether nodes, edges or settings differ from before. */
  readonly changesGraph: boolean;
  /** Whether runs of earlier revisions move to this one. */
  readonly movesRuns: boolean;
}

interface Context {
  readonly table: TableWriter;
  readonly now: Date;
  newId(): string;
}

/**
 * The plan and the triggers of an edited workflow, for the transaction that replaces its header under a condition on its version: so
 * revisions increase one by one, and the triggers are those of the newest, however many edit at once.
 *
 * Only what can start runs needs a plan: a draft has none until it is first enabled, and edits of a disabled workflow make none before it
 * is enabled again, unless runs are to move to it. A plan that would be the same as the last one is not written again.
 */
export function planWrites(context: Context, edit: Edit): PlanWrites {
  const { before, after: header, document, changesGraph, movesRuns } = edit;
  const known = before?.plan;
  const isMove = movesRuns && known !== undefined;
  const starts = header.enabled && (before?.enabled !== true || changesGraph);
  return starts || isMove
    ? newPlanWrites(context, edit, compilePlan(document), isMove)
    : disablingWrites(context, header, known);
}

/** Takes the triggers of a disabled workflow away, if there are any. */
function disablingWrites(
  { table }: Context,
  { _id, enabled }: Edit['after'],
  known: PlanState | undefined,
): PlanWrites {
  return known === undefined || enabled
    ? { state: known, steps: [] }
    : {
        state: { ...known, topics: [] },
        steps: known.topics.map((topic) => table.delete(triggerKey(topic, _id))),
      };
}

function newPlanWrites(
  context: Context,
  { before, after: header }: Edit,
  plan: Plan,
  isMove: boolean,
): PlanWrites {
  const { table, newId } = context;
  const known = before?.plan;
  const digest = planDigest(plan);
  const isNew = known === undefined || known.digest !== digest;
  const revision = isNew ? (known?.revision ?? 0) + 1 : known.revision;
  const packed = isNew ? packedDocument(JSON.stringify(plan), newId()) : undefined;
  const rows = header.enabled ? triggerRows(header, revision, plan) : [];
  const newlyAwaited = plan.awaits.filter((topic) => !known?.awaits.includes(topic));
  const movesTo = known?.movesTo ?? [];
  const isNewMove = isMove && revision > 1 && movesTo.at(-1) !== revision;
  const state: PlanState = {
    ...known,
    revision,
    digest,
    place: packed?.place ?? (known as PlanState).place,
    topics: rows.map(([topic]) => topic),
    awaits: [...(known?.awaits ?? []), ...newlyAwaited],
    movesTo: isNewMove ? [...movesTo, revision].slice(-mostMoves) : movesTo,
  };
  const hasOtherRows = isNew || before?.enabled !== header.enabled;
  return {
    state,
    ...(packed && { packed }),
    steps: [
      ...(packed
        ? [table.put(planKey(header._id, revision), { place: packed.place }, rowOptions(packed))]
        : []),
      ...(isNew && known ? supersedeSteps(context, header._id, known) : []),
      ...(hasOtherRows ? triggerSteps(table, header._id, known?.topics ?? [], rows) : []),
      ...newlyAwaited.map((topic) => table.put(awaitedTopicKey(topic), { isAwaited: true })),
      ...(isNewMove ? [runChangesStep(table, header._id, state)] : []),
    ],
  };
}

const rowOptions = ({ place, zipped }: PackedDocument) => (place.store === 'table' ? { bytes: zipped } : {});

/** The triggers of an enabled workflow, by topic. */
function triggerRows({ _id, userId }: Edit['after'], revision: number, plan: Plan): [Topic, TriggerRow][] {
  const { reentry, rate } = plan.settings;
  const byTopic = Map.groupBy(startingTriggers(plan).starting, ({ topic }) => topic);
  return Array.from(byTopic, ([topic, nodes]) => {
    const triggers = nodes.map(({ nodeId, filter, match }) => ({ nodeId, filter, match }));
    return [topic, { workflowId: _id, userId, revision, reentry, rate, triggers }];
  });
}

function triggerSteps(
  table: TableWriter,
  workflowId: string,
  before: readonly Topic[],
  rows: readonly [Topic, TriggerRow][],
): Step[] {
  const kept = new Set(rows.map(([topic]) => topic));
  return [
    ...before.filter((topic) => !kept.has(topic)).map((topic) => table.delete(triggerKey(topic, workflowId))),
    ...rows.map(([topic, row]) => table.put(triggerKey(topic, workflowId), row)),
  ];
}

/** Has a plan, and its object, expire once no run can need it any more. */
function supersedeSteps({ table, now }: Context, workflowId: string, { revision, place }: PlanState): Step[] {
  const expiry = {
    update: 'SET expiresAt = :at',
    values: { at: epochSeconds(after(now, supersededFor)) },
  };
  return [
    table.updateStep(planKey(workflowId, revision), expiry),
    ...(place.store === 'objects'
      ? [table.updateStep(workflowObjectsKey(workflowId, place.revision), expiry)]
      : []),
  ];
}

export function runChangesStep(table: TableWriter, workflowId: string, { movesTo, ended }: PlanState): Step {
  return table.put(runChangesKey(workflowId), { movesTo, ...(ended && { ended }) });
}
