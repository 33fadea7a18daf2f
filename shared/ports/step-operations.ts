import * as z from 'zod/mini';
import type { StepOperations, StepRequest } from '../events/step-operations.ts';
import type { HttpEvent } from '../kernel/http/http-event.ts';
import { readRequest } from '../kernel/http/http-request.ts';
import { requireRole } from '../kernel/http/identify.ts';
import type { Operation } from '../kernel/operation.ts';
import type { InvocationScope, Provider } from '../kernel/ports.ts';
import { type Providers, portsFrom } from '../kernel/serve/invocation.ts';
import { stepPortUses } from '../kernel/uses.ts';

/** An operation with its name and the providers of its own ports, without `table`. */
export interface ServedStepOperation {
  readonly name: string;
  /** Loads the operation when a step first performs it: a run performs few of them. */
  load(): Promise<Operation>;
  readonly providers: Providers;
}

/** The port through which steps of workflows perform operations, each with its own ports and none with those of another. */
export function provideStepOperations(operations: readonly ServedStepOperation[]): Provider {
  const byName = new Map(operations.map((operation) => [operation.name, operation]));
  return (scope: InvocationScope): StepOperations => ({
    async run(name, request, { caller, table, now, newId }) {
      const found = byName.get(name);
      if (found === undefined) {
        throw new Error(`No operation "${name}" is declared asStep`);
      }
      const { providers } = found;
      const operation = await found.load();
      requireRole(operation.minimumRole, caller);
      const taken = await readRequest(operation, eventOf(operation, request, scope.newId()), {
        receivedAt: now,
      });
      const { organizationId } = caller;
      const ports = portsFrom(providers, stepPortUses(operation), {
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
