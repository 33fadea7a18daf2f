import type { Caller } from '../kernel/caller.ts';
import type { ClockAndIds } from '../kernel/operation.ts';
import type { TableWriter } from '../table/table.ts';

/** A request to an operation that does not come over HTTP. */
export interface StepRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A step gives an operation these beside its request. */
export interface StepContext extends ClockAndIds {
  /** With the role that the user has now: nobody looks it up again. */
  readonly caller: Caller;
  /** Takes the place of the operation's port `table`, so that what the step adds is committed in the operation's own transaction. */
  readonly table: TableWriter;
}

/** Operations of the API that run within a step of a workflow: those declared `asStep`, each with its own ports. */
export interface StepOperations {
  /**
   * Runs the operation as this caller, and resolves with its output. It validates the request as HTTP does.
   * @throws the `Failure` that a client would get.
   */
  run(name: string, request: StepRequest, context: StepContext): Promise<unknown>;
}
