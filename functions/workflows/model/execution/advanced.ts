import { type Timestamp, timestamp } from '../../../../shared/kernel/time.ts';
import type { RunStatus } from '../../../../shared/workflows/run-statuses.ts';
import { nodeTypeNamed } from '../definition/catalogue.ts';
import {
  defaultBranch,
  edgeTargets,
  findNode,
  isJoin,
  type Plan,
  runLimits,
  tooLong,
} from '../definition/plan.ts';
import type { Answer, Run, StoredStepRecord, Token, Wait } from '../runs/run.ts';
import { endOfTime } from './decide.ts';
import type { Outcome } from './decision.ts';
import { mergedTokens, settledTokens } from './joins.ts';

export interface Advanced {
  readonly run: Run;
  readonly stepRecord: StoredStepRecord;
}

/** The type in the step record of an edge that leads to no node. */
const missingType = 'missing';

/** The run after a step of this token. Pure. */
export function runAfterStep(plan: Plan, run: Run, token: Token, outcome: Outcome, at: Date): Advanced {
  const node = findNode(plan, token.nodeId);
  const stepRecord = newStepRecord(plan, run, token, node?.type ?? missingType, outcome, at);
  const counted: Run = { ...run, steps: stepRecord.n };
  const tokens =
    node !== undefined && isJoin(node) && !isAtJoin(outcome) ? mergedTokens(run.tokens, token) : run.tokens;
  switch (outcome.status) {
    case 'waiting':
      return {
        run: kept(plan, counted, withToken(tokens, waiting(plan, run, token, outcome, at)), at),
        stepRecord,
      };
    case 'failed':
      return failed(plan, { ...counted, tokens }, token, outcome, { stepRecord, at });
    default:
      break;
  }
  const ends = outcome.status === 'passed' ? outcome.ends : undefined;
  if (ends === 'run') {
    return { run: endedRun(counted, 'finished', 'stopped', at), stepRecord };
  }
  const branch = outcome.status === 'passed' ? (outcome.way ?? defaultBranch) : defaultBranch;
  const next = ends === 'token' ? [] : targetsAlong(plan, token, branch);
  return { run: moved(plan, { ...counted, tokens }, token, next, at), stepRecord };
}

function failed(
  plan: Plan,
  run: Run,
  token: Token,
  { reason, ends }: Extract<Outcome, { status: 'failed' }>,
  { stepRecord, at }: { readonly stepRecord: StoredStepRecord; readonly at: Date },
): Advanced {
  const node = findNode(plan, token.nodeId);
  const targets = node && edgeTargets(node, 'error');
  if (ends === undefined && targets !== undefined) {
    return { run: moved(plan, run, token, targets, at), stepRecord: { ...stepRecord, way: 'error' } };
  }
  if (ends === 'run') {
    return { run: endedRun(run, 'failed', reason, at), stepRecord };
  }
  const { wait: _, ...again } = token;
  const joined = node !== undefined && isJoin(node) ? ({ joined: true } as const) : {};
  const tokens = withToken(run.tokens, { ...again, ...joined });
  return { run: { ...endedRun(run, 'failed', reason, at), tokens }, stepRecord };
}

/** The answer as the step record has it: steps are read with each other, and nobody asks for most bodies. */
function keptAnswer({ asks }: Plan, { nodeId }: Token, { status, body }: Answer): Answer {
  return { status, ...(body !== undefined && asks.includes(nodeId) && { body }) };
}

function newStepRecord(
  plan: Plan,
  run: Run,
  token: Token,
  type: string,
  outcome: Outcome,
  at: Date,
): StoredStepRecord {
  const { status } = outcome;
  return {
    n: run.steps + 1,
    nodeId: token.nodeId,
    type,
    status,
    ...('way' in outcome && outcome.way !== undefined && { way: outcome.way }),
    ...('reason' in outcome && outcome.reason !== undefined && { reason: outcome.reason }),
    ...('resultIds' in outcome && outcome.resultIds !== undefined && { resultIds: outcome.resultIds }),
    ...('answer' in outcome &&
      outcome.answer !== undefined && { answer: keptAnswer(plan, token, outcome.answer) }),
    ...(status === 'waiting' && outcome.until !== undefined && { until: limited(run, outcome.until) }),
    at: timestamp(at),
  };
}

/** The targets of this way, or of the default one if no edge has this way. */
function targetsAlong(plan: Plan, { nodeId }: Token, branch: string): readonly string[] {
  const node = findNode(plan, nodeId);
  return node === undefined ? [] : (edgeTargets(node, branch) ?? edgeTargets(node, defaultBranch) ?? []);
}

const isAtJoin = (outcome: Outcome) => outcome.status === 'waiting' && outcome.until === undefined;

function waiting(
  plan: Plan,
  run: Run,
  { n, nodeId, listens }: Token,
  outcome: Extract<Outcome, { status: 'waiting' }>,
  at: Date,
): Token {
  const { until, awaits, isRequest } = outcome;
  const wait: Wait = {
    // The stream may deliver an event from before this step only now.
    since: listens?.since ?? timestamp(at),
    ...(until !== undefined && { until: limited(run, until) }),
    ...(awaits && { awaits }),
    ...(isRequest && { request: run.steps + 1 }),
  };
  const node = findNode(plan, nodeId);
  const joined = until !== undefined && node !== undefined && isJoin(node);
  return { n, nodeId, ...(joined && { joined }), wait };
}

/** No wait lasts longer than its run may. */
function limited(run: Run, until: Timestamp): Timestamp {
  // Compared as numbers, because a year with five digits is written with a sign in front.
  return timestamp(new Date(Math.min(Date.parse(until), endOfTime(run))));
}

const withToken = (tokens: readonly Token[], token: Token): readonly Token[] =>
  tokens.map((other) => (other.n === token.n ? token : other));

/** The token goes on to the first target; each further one gets a token of its own. */
function moved(plan: Plan, run: Run, token: Token, targets: readonly string[], at: Date): Run {
  const [first, ...others] = targets;
  const forked = others.map((nodeId, index) => reachedToken(plan, run.tokenCount + index + 1, nodeId, at));
  const tokens = [
    ...run.tokens.flatMap((other) => {
      if (other.n !== token.n) {
        return [other];
      }
      return first === undefined ? [] : [reachedToken(plan, token.n, first, at)];
    }),
    ...forked,
  ];
  return kept(plan, { ...run, tokenCount: run.tokenCount + others.length }, tokens, at);
}

/**
 * A token that comes to a node. At a wait for an event it listens at once: its wait begins with a transaction of its own, and by then the
 * contact may have answered what the step before it sent. At a join it listens once all have come.
 */
function reachedToken(plan: Plan, n: number, nodeId: string, at: Date): Token {
  const node = findNode(plan, nodeId);
  const token = { n, nodeId };
  return node === undefined || isJoin(node) ? token : listening(plan, token, at);
}

function listening(plan: Plan, token: Token, at: Date): Token {
  const node = findNode(plan, token.nodeId);
  const awaits = node && nodeTypeNamed(node.type)?.listensTo?.(node.data);
  return awaits === undefined ? token : { ...token, listens: { since: timestamp(at), awaits } };
}

/** Whether a token has just passed the join of its node. */
const isReleased = ({ joined, wait, listens }: Token) =>
  joined === true && wait === undefined && listens === undefined;

/** The run with these tokens: it goes on, waits, or has ended. */
function kept(plan: Plan, run: Run, unsettled: readonly Token[], at: Date): Run {
  const tokens = settledTokens(plan, unsettled).map((token) =>
    isReleased(token) ? listening(plan, token, at) : token,
  );
  if (tokens.length === 0) {
    return endedRun(run, 'finished', undefined, at);
  }
  if (tokens.length > runLimits.tokens || run.steps >= runLimits.steps) {
    return endedRun(run, 'failed', tooLong, at);
  }
  return { ...run, tokens, status: tokens.every(isWaiting) ? 'waiting' : 'running' };
}

/** Whether the token waits for a time or an event, and neither has come. */
export function isWaiting({ wait }: Token): boolean {
  return wait !== undefined && wait.ended === undefined;
}

/** The run at its end, which ends all its tokens. */
export function endedRun(
  run: Run,
  status: Extract<RunStatus, 'finished' | 'failed' | 'cancelled'>,
  reason: string | undefined,
  at: Date,
): Run {
  const { reason: _, ...rest } = run;
  return { ...rest, status, ...(reason !== undefined && { reason }), tokens: [], finishedAt: timestamp(at) };
}
