import { timestamp } from '../../../../shared/kernel/time.ts';
import type { Answer, RequestFailure, Run, Token } from '../runs/run.ts';
import { isWaiting } from './advanced.ts';

/** A run that begins at the node of a trigger. */
export function startingRun(
  fields: Pick<
    Run,
    '_id' | 'workflowId' | 'contactId' | 'userId' | 'revision' | 'triggerId' | 'topic' | 'chain'
  >,
  at: Date,
): Run {
  return {
    ...fields,
    status: 'running',
    tokens: [{ n: 1, nodeId: fields.triggerId }],
    steps: 0,
    tokenCount: 1,
    startedAt: timestamp(at),
  };
}

/** The token that goes on next; undefined if all wait, or the run has ended. */
export function nextToken(run: Run): Token | undefined {
  return isOver(run) ? undefined : run.tokens.find((token) => !isWaiting(token));
}

/** Whether it ended, in whatever way. */
export function isOver({ status }: Pick<Run, 'status'>): boolean {
  return status !== 'running' && status !== 'waiting';
}

/**
 * The run when a wait of this token has ended: `over` at its time or because somebody ended it, `received` by its event, also by one that
 * came before it waited. Unchanged if the token does not wait for a time, because it ended before.
 */
export function wokenRun(run: Run, token: Pick<Token, 'n'>, how: 'over' | 'received'): Run {
  if (isOver(run)) {
    return run;
  }
  const tokens = run.tokens.map((other) => (other.n === token.n ? endWaitsOf(other, how) : other));
  return tokens.some((other) => !isWaiting(other)) ? { ...run, status: 'running', tokens } : run;
}

function endWaitsOf(token: Token, how: 'over' | 'received'): Token {
  const { wait, listens } = token;
  if (wait === undefined && listens !== undefined && how === 'received') {
    return { ...token, listens: { ...listens, heard: true } };
  }
  if (wait?.until === undefined || wait.ended !== undefined) {
    return token;
  }
  const whenOver = wait.awaits === undefined ? 'time' : 'timeout';
  return { ...token, wait: { ...wait, ended: how === 'over' ? whenOver : 'received' } };
}

/** The run when the request of this step has its result; unchanged if no token waits for it any more. */
export function answeredRun(run: Run, n: number, result: Answer | RequestFailure): Run {
  return waitsForRequest(run, n)
    ? {
        ...run,
        status: 'running',
        tokens: run.tokens.map((token) =>
          token.wait?.request === n ? { ...token, wait: { ...token.wait, ended: 'time', result } } : token,
        ),
      }
    : run;
}

/** Whether the run waits for the request of this step. */
export function waitsForRequest(run: Run, n: number): boolean {
  return openWaits(run).some(({ wait }) => wait?.request === n);
}

/** A failed run that goes on from the step that failed; undefined for any other, and for one that was too long. */
export function retriedRun(run: Run): Run | undefined {
  const { reason: _, finishedAt: __, ...rest } = run;
  return run.status === 'failed' && run.tokens.length > 0 ? { ...rest, status: 'running' } : undefined;
}

/** The tokens that wait, also at joins; none of a run that has ended. */
export function openWaits(run: Run | undefined): readonly Token[] {
  return run === undefined || isOver(run) ? [] : run.tokens.filter(isWaiting);
}

/** The run after ending the waits whose time has come. */
export function withEndedWaits(run: Run, now: Date): Run {
  const isOver = (until: string | undefined) => until !== undefined && until <= timestamp(now);
  return openWaits(run)
    .filter(({ wait }) => isOver(wait?.until))
    .reduce((before, token) => wokenRun(before, token, 'over'), run);
}

/** Whether a run, as it was read, could take a step now. */
export function canContinue(run: Run, now: Date): boolean {
  return nextTokenAt(withEndedWaits(run, now), now) !== undefined;
}

/** The token that goes on next at this time; undefined if none does. */
export const nextTokenAt = (run: Run, now: Date): Token | undefined =>
  isTooEarly(run, now) ? undefined : nextToken(run);

/** A run whose start was postponed does nothing before it. */
function isTooEarly({ steps, startsAt }: Run, now: Date): boolean {
  return steps === 0 && startsAt !== undefined && startsAt > timestamp(now);
}
