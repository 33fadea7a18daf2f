import { Failure } from '../../../../shared/kernel/failure.ts';
import type { TableReader } from '../../../../shared/table/table.ts';
import type { SkipReason } from '../../../../shared/workflows/run-statuses.ts';
import { readData } from '../definition/node-data.ts';
import { findNode, isJoin, longestRun, type Plan, type PlanNode, tooLong } from '../definition/plan.ts';
import type { Run, Token, Wait } from '../runs/run.ts';
import type { Decision, Outcome } from './decision.ts';
import type { AnyExecutable } from './executable.ts';
import { executableNamed } from './executables.ts';
import { passesJoin } from './joins.ts';
import type { StepContext } from './step-context.ts';

/**
 * Decides what the next step of a token is to do. Pure: the same arguments give the same decision.
 * @param token one of the run's that does not wait, or whose wait has ended.
 * @param extra what `readExtra` resolved with.
 */
export function decide(
  plan: Plan,
  run: Run,
  token: Token,
  context: StepContext,
  extra: unknown,
  now: Date,
): Decision {
  const stage = stageOf(plan, run, token, context, now);
  if (stage.nodeType === undefined) {
    return { outcome: stage.outcome };
  }
  const { node, nodeType, data } = stage;
  try {
    return nodeType.decide(data, { node, settings: plan.settings, run, token, context, extra, now });
  } catch (error) {
    if (error instanceof Failure) {
      return { outcome: { status: 'failed', reason: error.message } };
    }
    throw error;
  }
}

/** Reads what the type of the token's node alone needs, if anything. */
export async function readExtra(
  plan: Plan,
  run: Run,
  token: Token,
  context: StepContext,
  { table, now }: { readonly table: TableReader; readonly now: Date },
): Promise<unknown> {
  const { nodeType, data } = stageOf(plan, run, token, context, now);
  const { confirmed } = plan;
  return nodeType?.read?.(data, { table, context, run, confirmed, nodeId: token.nodeId, now });
}

/** A decision before the type of the node decides: nothing, or the whole step. */
type Stage =
  | {
      readonly node: PlanNode;
      readonly nodeType: AnyExecutable;
      readonly data: unknown;
      readonly outcome?: never;
    }
  | {
      readonly node?: never;
      readonly nodeType?: undefined;
      readonly data?: never;
      readonly outcome: Outcome;
    };

function stageOf(plan: Plan, run: Run, token: Token, context: StepContext, now: Date): Stage {
  if (now.getTime() >= endOfTime(run)) {
    return { outcome: { status: 'failed', reason: tooLong, ends: 'run' } };
  }
  const node = findNode(plan, token.nodeId);
  if (node === undefined) {
    return skipped('dangling_edge');
  }
  const ended = token.wait?.ended;
  if (ended === undefined && isJoin(node) && !passesJoin(plan, run, token)) {
    return { outcome: { status: 'waiting' } };
  }
  const nodeType = executableNamed(node.type);
  if (nodeType === undefined) {
    return skipped('unknown_type');
  }
  if (token.wait?.request !== undefined) {
    return { outcome: outcomeOfRequest(token.wait) };
  }
  if (ended !== undefined) {
    return { outcome: { status: 'passed', ...(ended !== 'time' && { way: ended }) } };
  }
  return readied(node, nodeType, context);
}

/** Without a result somebody has ended the wait, or the request was lost. */
function outcomeOfRequest({ result = { failed: 'no_answer' } }: Wait): Outcome {
  return 'failed' in result
    ? { status: 'failed', reason: result.failed }
    : { status: 'passed', answer: result };
}

/** Checks what every type of node needs before it can decide. */
function readied(node: PlanNode, nodeType: AnyExecutable, context: StepContext): Stage {
  const read = readData(nodeType.schema, node.data);
  if (!read.success) {
    return skipped('invalid_data');
  }
  if (nodeType.needsContact && context.state === undefined) {
    return skipped('contact_gone');
  }
  if (nodeType.actsAsOwner && context.owner === undefined) {
    return skipped('owner_disabled');
  }
  return { node, nodeType, data: read.data };
}

const skipped = (reason: SkipReason): Stage => ({ outcome: { status: 'skipped', reason } });

/** When a run is too long. */
export function endOfTime({ startedAt }: Pick<Run, 'startedAt'>): number {
  return Date.parse(startedAt) + longestRun;
}
