import { isDeepStrictEqual } from 'node:util';
import { after, day, epochSeconds } from '../../../../shared/kernel/time.ts';
import { workflowObjectsKey } from '../../../../shared/notes/owned-objects.ts';
import type { Action, TableWriter } from '../../../../shared/table/table.ts';
import type { Reach } from '../../../../shared/workflows/own-workflows.ts';
import { type Compiled, planDigest } from '../definition/compile-plan.ts';
import { findNewlyConfirmedRights, findNewlyConfirmedTexts, readConfirmed } from '../definition/confirmed.ts';
import { type PackedDocument, packedDocument } from '../definition/documents.ts';
import { longestRun, type Plan } from '../definition/plan.ts';
import { planKey } from '../definition/plan-row.ts';
import type { Topic } from '../definition/topics.ts';
import {
  awaitedTopicKey,
  startingTriggers,
  type TriggerRow,
  triggerCountActions,
  triggerKey,
} from '../definition/triggers.ts';
import type { PlanState, WorkflowHeader } from '../definition/workflow.ts';
import { maxMoves, type RunChanges, runChangesKey } from '../runs/run-changes.ts';
import { closeForStarts, openForStarts } from '../runs/run-gate.ts';

/** How long a superseded plan stays: longer than any run that started on it. */
const supersededFor = longestRun + day;

/** The effect of an edit on a workflow's plan and triggers. */
export interface PlanWrites {
  /** The header's `plan` afterwards. */
  readonly state: PlanState | undefined;
  /** The header's `most` afterwards: the same object if it stays as it is. */
  readonly most: Reach | undefined;
  /** Sentences for the response: what the edit confirms beside itself. */
  readonly news: readonly string[];
  /** A new plan, to be stored with the document. */
  readonly packed?: PackedDocument;
  /** In the transaction of the header. */
  readonly actions: readonly Action[];
  /** Actions before that transaction, which has no room for them. They stay true for good, and do no harm if the edit then fails. */
  readonly announced?: readonly Action[];
  /**
   * In the transaction: open the gates of a workflow that is enabled, and close those of one that is disabled, unless its runs are ended
   * at once.
   */
  readonly gates: readonly Action[];
}

/** The changes of an edit that concern runs. */
export interface Edit {
  readonly before: WorkflowHeader | undefined;
  readonly after: Pick<WorkflowHeader, '_id' | 'userId' | 'enabled'>;
  /** The document afterwards. */
  readonly compiled: Pick<Compiled, 'plan'>;
  /** Whether somebody with the rights of the owner sends nodes, edges or settings, the same or others. */
  readonly confirms: boolean;
  /** The owner's rights of now, if whoever edits cannot vouch for more. */
  readonly most?: Reach | undefined;
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
 * Only what can start runs needs a plan: a workflow without triggers has none, nor has a draft until it is first enabled, and edits of a
 * disabled workflow make none before it is enabled again, unless runs are to move to it. A plan that would be the same as the last one
 * is not written again. It reads the templates that a new plan names.
 */
export async function preparePlanWrites(context: Context, edit: Edit): Promise<PlanWrites> {
  const { before, after: header, confirms, movesRuns } = edit;
  const isConfirmed = confirms || movesRuns || (header.enabled && before?.enabled !== true);
  const staysHeld = !isConfirmed || isDeepStrictEqual(edit.most, before?.most);
  const most = staysHeld ? before?.most : edit.most;
  const [{ texts = [], ...writes }, rights] = await Promise.all([
    planAndTriggers(context, edit, isConfirmed),
    staysHeld ? [] : findNewlyConfirmedRights(context.table, header.userId, before?.most, most),
  ]);
  const news = [...rights, ...texts];
  return { ...writes, most, news, gates: gateActions(context, edit) };
}

/** No actions for a workflow that never had triggers: it has no gates, and a missing gate is open. */
function gateActions({ table }: Context, { before, after: { _id, enabled } }: Edit): Action[] {
  if (before?.plan === undefined || before.enabled === enabled) {
    return [];
  }
  return enabled ? openForStarts(table, _id) : closeForStarts(table, _id);
}

type PlanAndTriggers = Omit<PlanWrites, 'most' | 'news' | 'gates'> & {
  readonly texts?: string[];
};

async function planAndTriggers(context: Context, edit: Edit, isConfirmed: boolean): Promise<PlanAndTriggers> {
  const { before, after: header, compiled, movesRuns, most } = edit;
  const known = before?.plan;
  if (header.enabled && !isConfirmed) {
    return { state: known, actions: [] };
  }
  const isMove = movesRuns && known !== undefined;
  const { plan } = compiled;
  const rows = header.enabled ? triggerRows(plan) : [];
  if (rows.length === 0 && !isMove) {
    return withoutTriggers(context, header._id, known);
  }
  const { table } = context;
  const { confirmed, templates } = await readConfirmed(table, plan, header.userId, most);
  const texts = known ? await findNewlyConfirmedTexts(table, header.userId, known, templates) : [];
  return { ...newPlanWrites(context, edit, { ...plan, confirmed }, rows, isMove), texts };
}

/** Deletes the triggers, if any, of a workflow that starts no more runs. */
function withoutTriggers(
  { table }: Context,
  workflowId: string,
  known: PlanState | undefined,
): PlanAndTriggers {
  return known === undefined
    ? { state: undefined, actions: [] }
    : {
        state: { ...known, topics: [] },
        actions: [
          ...known.topics.map((topic) => table.delete(triggerKey(topic, workflowId))),
          ...triggerCountActions(table, known.topics, []),
        ],
      };
}

function newPlanWrites(
  context: Context,
  { before, after: { _id, userId } }: Edit,
  plan: Plan & Required<Pick<Plan, 'confirmed'>>,
  rows: TriggersByTopic,
  isMove: boolean,
): PlanAndTriggers {
  const { table, newId } = context;
  const known = before?.plan;
  const digest = planDigest(plan);
  const isNew = known === undefined || known.digest !== digest;
  const revision = isNew ? (known?.revision ?? 0) + 1 : known.revision;
  const packed = isNew ? packedDocument(JSON.stringify(plan), newId()) : undefined;
  const newlyAwaited = plan.awaits.filter((topic) => !known?.awaits.includes(topic));
  const movesTo = known?.movesTo ?? [];
  const isNewMove = isMove && revision > 1 && movesTo.at(-1) !== revision;
  const topics = known?.topics ?? [];
  const { most, ...confirmed } = plan.confirmed;
  const state: PlanState = {
    ...known,
    revision,
    digest,
    confirmed,
    place: packed?.location ?? (known as PlanState).place,
    topics: rows.map(([topic]) => topic),
    awaits: [...(known?.awaits ?? []), ...newlyAwaited],
    movesTo: isNewMove ? [...movesTo, revision].slice(-maxMoves) : movesTo,
  };
  // The stored triggers, if any, are those of the last plan.
  const hasTriggers = !isNew && topics.length > 0;
  const { reentry, rate } = plan.settings;
  const common = { workflowId: _id, userId, revision, reentry, rate, ...(most && { most }) };
  return {
    state,
    ...(packed && { packed }),
    announced: newlyAwaited.map((topic) => table.put(awaitedTopicKey(topic), { isAwaited: true })),
    actions: [
      ...(packed ? [planAction(table, _id, revision, packed)] : []),
      ...(isNew && known ? supersedeActions(context, _id, known) : []),
      ...topics
        .filter((topic) => !state.topics.includes(topic))
        .map((topic) => table.delete(triggerKey(topic, _id))),
      ...(hasTriggers
        ? []
        : rows.map(([topic, triggers]) => table.put(triggerKey(topic, _id), { ...common, triggers }))),
      ...triggerCountActions(table, topics, state.topics),
      ...(isNewMove ? [table.put(runChangesKey(_id), runChangesOf(state))] : []),
    ],
  };
}

function planAction(
  table: TableWriter,
  workflowId: string,
  revision: number,
  { location, zipped }: PackedDocument,
): Action {
  return table.put(
    planKey(workflowId, revision),
    { place: location },
    location.store === 'table' ? { bytes: zipped } : {},
  );
}

type TriggersByTopic = readonly (readonly [Topic, TriggerRow['triggers']])[];

function triggerRows(plan: Plan): TriggersByTopic {
  const byTopic = Map.groupBy(startingTriggers(plan).starting, ({ topic }) => topic);
  return Array.from(byTopic, ([topic, nodes]) => [
    topic,
    nodes.map(({ nodeId, filter, match }) => ({ nodeId, filter, match })),
  ]);
}

/** Lets a plan and its object expire once no run can need them any more. */
function supersedeActions(
  { table, now }: Context,
  workflowId: string,
  { revision, place: location }: PlanState,
): Action[] {
  const expiry = {
    update: 'SET expiresAt = :at',
    values: { at: epochSeconds(after(now, supersededFor)) },
  };
  return [
    table.updateAction(planKey(workflowId, revision), expiry),
    ...(location.store === 'objects'
      ? [table.updateAction(workflowObjectsKey(workflowId, location.revision), expiry)]
      : []),
  ];
}

const runChangesOf = ({ movesTo, ended }: PlanState): RunChanges => ({ movesTo, ...(ended && { ended }) });
