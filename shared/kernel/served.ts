import { type Invocation, newInvocation, type Providers, type Runtime } from './invocation.ts';

/** A function: its name in the log, and what it runs on. */
export interface Source {
  readonly name: string;
  readonly providers: Providers;
  readonly runtime: Runtime;
}

/** What a kind of trigger does with an event. */
export interface Trigger<Event, Result> {
  run(event: Event, invocation: Invocation, context: unknown): Promise<Result>;
  /** The result in place of one that was thrown. Throws itself where the platform is to try again. */
  recover(error: unknown, event: Event, invocation: Invocation): Result;
  /** Errors that are no fault of ours, since a caller can mend them; none unless stated. */
  expects?(error: unknown): boolean;
  /** What the log line says of an error that was not expected; all of it unless stated. */
  reasonOf?(error: unknown): Record<string, unknown>;
  /** Logs nothing of what went well. */
  readonly isQuiet?: boolean;
}

/** Wraps every kind of trigger: one invocation for each event, and one log line for how it ended. */
export function served<Event, Result>(
  { name, providers, runtime }: Source,
  {
    run,
    recover,
    expects = () => false,
    reasonOf = (error) => ({ defect: errorFields(error) }),
    isQuiet = false,
  }: Trigger<Event, Result>,
): (event: Event, context?: unknown) => Promise<Result> {
  return async (event, context) => {
    const invocation = newInvocation(runtime, providers);
    const log = (level: 'info' | 'error', reason: Record<string, unknown> = {}) =>
      runtime.log({ level, operation: name, ...invocation.notes, ...invocation.consumed(), ...reason });
    try {
      const result = await run(event, invocation, context);
      if (!isQuiet) {
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
