import { deadlineIn, raceDeadline } from '../deadline.ts';
import { type Invocation, newInvocation, type Providers, type Runtime } from './invocation.ts';

/** A function: its name in the log, its providers and its runtime. */
export interface Source {
  readonly name: string;
  readonly providers: Providers;
  readonly runtime: Runtime;
}

/** How a kind of trigger handles an event. */
export interface Trigger<Event, Result> {
  run(event: Event, invocation: Invocation): Promise<Result>;
  /** The result after an error. It throws where the platform is to retry. */
  recover(error: unknown, event: Event, invocation: Invocation): Result;
  /** Errors that are not ours, because the caller can correct them; none unless stated. */
  expects?(error: unknown): boolean;
  /** Milliseconds after which whoever waits for the result gives up, if that may be before the platform ends the invocation. */
  readonly timeout?: number;
  /** Whether successes are not logged. */
  readonly isQuiet?: boolean;
}

/** An invocation, and what writes the log line about its outcome. */
export interface Served {
  readonly invocation: Invocation;
  log(level: 'info' | 'error', reason?: Record<string, unknown>): void;
  /** Logs a success; as an error if a note named `problem` says that the work is postponed. */
  logSuccess(): void;
}

/** Begins an invocation, which knows its deadline. */
export function beginInvocation(
  { name, providers, runtime }: Source,
  context: unknown,
  timeout?: number,
): Served {
  const invocation = newInvocation(runtime, providers, deadlineIn(context, timeout));
  const isFirst = isFirstInvocation(context);
  const log: Served['log'] = (level, reason = {}) =>
    runtime.log({
      level,
      operation: name,
      ...platformRequest(context),
      ...(isFirst && { coldStart: true }),
      ...invocation.notes,
      ...invocation.consumed(),
      ...reason,
    });
  return {
    invocation,
    log,
    logSuccess() {
      const { problem } = invocation.notes;
      if (problem === undefined) {
        log('info');
      } else {
        log('error', { problem: errorFields(problem) });
      }
    },
  };
}

/** Wraps every trigger but HTTP: one invocation for each event, and one log line about its outcome. */
export function served<Event, Result>(
  source: Source,
  { run, recover, expects = () => false, timeout, isQuiet = false }: Trigger<Event, Result>,
): (event: Event, context?: unknown) => Promise<Result> {
  return async (event, context) => {
    const { invocation, log, logSuccess } = beginInvocation(source, context, timeout);
    try {
      const result = await raceDeadline(invocation.deadline, run(event, invocation));
      if (!isQuiet) {
        logSuccess();
      }
      return result;
    } catch (error) {
      try {
        return recover(error, event, invocation);
      } finally {
        if (expects(error)) {
          log('info');
        } else {
          log('error', { defect: errorFields(error) });
        }
      }
    }
  };
}

/** The context that the platform passed to the first invocation of this process. */
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
