import type { TableWriter } from '../table/table.ts';
import type { Caller } from './caller.ts';
import type { ClockAndIds } from './operation.ts';

/** A request to an operation that does not come over HTTP. */
export interface StepRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Operations of the API that run within a step of a workflow: those declared `asStep`, each with its own ports. */
export interface StepOperations {
  /**
   * Runs the operation as this caller, and resolves with its output. It validates the request as HTTP does. `table` takes the place of
   * the port `table`, so that what the step adds is committed in the operation's own transaction.
   * @throws the `Failure` that a client would get.
   */
  run(
    name: string,
    request: StepRequest,
    context: ClockAndIds & { readonly caller: Caller; readonly table: TableWriter },
  ): Promise<unknown>;
}
