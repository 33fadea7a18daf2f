import { before, deadlineIn } from '../deadline.ts';
import { type Invocation, newInvocation, type Providers, type Runtime } from './invocation.ts';

/** A function: its name in the log, its providers and its runtime. */
export interface Source {
  readonly name: string;
  readonly providers: Providers;
  readonly runtime: Runtime;
}

/** How a kind of trigger handles an event. */
export interface Trigger<Event, Result> {
  /** With a note named `problem`, the line is an error although there is a result: the work is postponed. */
  run(event: Event, invocation: Invocation): Promise<Result>;
  /** The result after an error. It throws where the platform is to retry. */
  recover(error: unknown, event: Event, invocation: Invocation): Result;
  /** Errors that are not ours, because the caller can correct them; none unless stated. */
  expects?(error: unknown): boolean;
  /** What the log line says about an unexpected error; everything unless stated. */
  reasonOf?(error: unknown): Record<string, unknown>;
  /** Milliseconds after which whoever waits for the result gives up, if that may be before the platform ends the invocation. */
  readonly timeout?: number;
  /** Whether successes are not logged. */
  readonly isQuiet?: boolean;
}

/** Wraps every kind of trigger: one invocation for each event, which knows its deadline, and one log line about its outcome. */
export function served<Event, Result>(
  { name, providers, runtime }: Source,
  {
    run,
    recover,
    expects = () => false,
    reasonOf = (error) => ({ defect: errorFields(error) }),
    timeout,
    isQuiet = false,
  }: Trigger<Event, Result>,
): (event: Event, context?: unknown) => Promise<Result> {
  return async (event, context) => {
    const invocation = newInvocation(runtime, providers, deadlineIn(context, timeout));
    const isFirst = isFirstInvocation(context);
    const log = (level: 'info' | 'error', reason: Record<string, unknown> = {}) =>
      runtime.log({
        level,
        operation: name,
        ...platformRequest(context),
        ...(isFirst && { coldStart: true }),
        ...invocation.notes,
        ...invocation.consumed(),
        ...reason,
      });
    try {
      const result = await before(invocation.deadline, run(event, invocation));
      const { problem } = invocation.notes;
      if (problem !== undefined) {
        log('error', { problem: errorFields(problem) });
      } else if (!isQuiet) {
        log('info');
      }
      return result;
    } catch (error) {
      try {
        return recover(error, event, invocation);
      } finally {
        if (expects(error)) {
          log('info');
        } else {
          log('error', reasonOf(error));
        }
      }
    }
  };
}

/** What the platform passed to the first invocation of this process. */
let firstContext: unknown;

/** Whether the process has served no invocation before; one of a stream or a queue has several log lines. */
function isFirstInvocation(context: unknown = {}): boolean {
  firstContext ??= context;
  return firstContext === context;
}

/** The id under which Lambda's own lines speak of this invocation. `requestId` is the gateway's, which the client knows. */
function platformRequest(context: unknown): { awsRequestId?: string } {
  const { awsRequestId } = (context ?? {}) as { awsRequestId?: string };
  return awsRequestId === undefined ? {} : { awsRequestId };
}

/** An error as the log shows it. */
export function errorFields(error: unknown): Record<string, unknown> {
  return error instanceof Error
    ? {
        name: error.name,
        message: error.message,
        stack: error.stack,
        ...(error.cause === undefined ? {} : { cause: errorFields(error.cause) }),
      }
    : { thrown: String(error) };
}
