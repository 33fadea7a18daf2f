import * as z from 'zod/mini';
import type { TableWriter } from '../table/table.ts';
import type { Caller } from './caller.ts';
import type { HttpEvent } from './http/http-event.ts';
import { requestOf } from './http/http-request.ts';
import { requireRole } from './http/identify.ts';
import type { ClockAndIds, Operation } from './operation.ts';
import type { InvocationScope, Provider } from './ports.ts';
import { type Providers, portsFrom } from './serve/invocation.ts';
import { stepUsesOf } from './uses.ts';

/** A request to an operation that does not come over HTTP. */
export interface StepRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What a step gives an operation beside its request. */
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

/** An operation with its name and the providers of its own ports, without `table`. */
export interface ServedStepOperation {
  readonly name: string;
  /** Loads the operation when a step first performs it: a run performs few of them. */
  load(): Promise<Operation>;
  readonly providers: Providers;
}

/** The port through which steps of workflows perform operations, each with its own ports and none with those of another. */
export function provideStepOperations(operations: readonly ServedStepOperation[]): Provider {
  const byName = new Map(operations.map((one) => [one.name, one]));
  return (scope: InvocationScope): StepOperations => ({
    async run(name, request, { caller, table, now, newId }) {
      const found = byName.get(name);
      if (found === undefined) {
        throw new Error(`No operation "${name}" is declared asStep`);
      }
      const { providers } = found;
      const operation = await found.load();
      requireRole(operation.minimumRole, caller);
      const taken = await requestOf(operation, eventOf(operation, request, scope.newId()), {
        receivedAt: now,
      });
      const { organizationId } = caller;
      const ports = portsFrom(providers, stepUsesOf(operation), {
        ...scope,
        ...{ caller, organizationId, now, newId },
      });
      return z.parse(
        operation.output,
        await operation.run(taken, { ...ports, table, caller, now, newId, deadline: scope.deadline }),
      );
    },
  });
}

/** The request as the gateway would pass it on, so that there is one way to read and to refuse one. */
function eventOf(
  { route }: Operation,
  { path = {}, query = {}, body }: StepRequest,
  requestId: string,
): HttpEvent {
  const [method = '', template = ''] = route.split(' ');
  const address = template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => path[name] ?? '');
  return {
    rawPath: address,
    rawQueryString: new URLSearchParams(query).toString(),
    headers: {},
    pathParameters: path,
    queryStringParameters: query,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    requestContext: { requestId, http: { method, path: address, sourceIp: '' } },
  };
}
