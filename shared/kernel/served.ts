import { Failure, Refused } from './failure.ts';
import { type Invocation, newInvocation, type Providers, type Runtime } from './invocation.ts';

/** A function: its name in the log, and what it runs on. */
export interface Source {
  readonly name: string;
  readonly providers: Providers;
  readonly runtime: Runtime;
}

/** What a kind of trigger does with an event. */
export interface Trigger<Event, Result> {
  run(event: Event, invocation: Invocation): Promise<Result>;
  /** The result in place of one that was thrown. Throws itself where the platform is to try again. */
  recover(error: unknown, event: Event, invocation: Invocation): Result;
  /** Logs nothing of what went well. */
  readonly isQuiet?: boolean;
}

/** Wraps every kind of trigger: one invocation for each event, and one log line for how it ended. */
export function served<Event, Result>(
  { name, providers, runtime }: Source,
  { run, recover, isQuiet = false }: Trigger<Event, Result>,
): (event: Event) => Promise<Result> {
  return async (event) => {
    const invocation = newInvocation(runtime, providers);
    const log = (level: 'info' | 'error', reason: Record<string, unknown> = {}) =>
      runtime.log({ level, operation: name, ...invocation.notes, ...invocation.consumed(), ...reason });
    try {
      const result = await run(event, invocation);
      if (!isQuiet) {
        log('info');
      }
      return result;
    } catch (error) {
      try {
        return recover(error, event, invocation);
      } finally {
        log(isExpected(error) ? 'info' : 'error', reasonOf(error));
      }
    }
  };
}

/** Whether the caller can mend it. */
function isExpected(error: unknown): boolean {
  return error instanceof Refused || (error instanceof Failure && error.status < 500);
}

/** What the log says of an error beyond its status: all of a defect; of a failure the cause, which its body conceals. */
function reasonOf(error: unknown): Record<string, unknown> {
  if (isExpected(error)) {
    return {};
  }
  if (error instanceof Failure) {
    return {
      failure: error.message,
      ...(error.cause === undefined ? {} : { cause: errorFields(error.cause) }),
    };
  }
  return { defect: errorFields(error) };
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
