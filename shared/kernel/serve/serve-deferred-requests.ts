import { requestOrigin } from '../actor.ts';
import { isCorrectable } from '../failure.ts';
import { readRequest } from '../http/http-request.ts';
import { traceFields } from '../http/traceparent.ts';
import type { Operation } from '../operation.ts';
import { type DeferredRequest, unpackedRequest } from './deferred-request.ts';
import { type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { eachMessage, type QueueEvent, type QueueResult } from './queue-event.ts';
import { errorFields, served } from './served.ts';

/** An operation that defers requests, with its name and the providers of its ports. */
export interface ServedDeferringOperation {
  readonly name: string;
  readonly operation: Operation;
  readonly providers: Providers;
}

/** A deferred request, and how often the queue has delivered it. */
type Repetition = DeferredRequest & { readonly delivery: number };

/**
 * The Lambda handler that applies deferred requests by the operations that deferred them. A request that its operation cannot apply yet, or that
 * no operation of this deployment takes, is delivered again.
 */
export function serveDeferredRequests(
  operations: readonly ServedDeferringOperation[],
  runtime: Runtime = systemRuntime,
): (event: QueueEvent, context?: unknown) => Promise<QueueResult> {
  const appliers = new Map(
    operations.map((operation) => [operation.operation.route as string, applier(operation, runtime)]),
  );
  return eachMessage(async ({ body, attributes }, context) => {
    const deferred = unpackedRequest(body);
    const { route } = deferred;
    const delivery = Number(attributes.ApproximateReceiveCount);
    const apply = appliers.get(route);
    if (apply === undefined) {
      runtime.log({ level: 'error', route, delivery, problem: 'No operation takes this deferred request' });
      return false;
    }
    return apply({ ...deferred, delivery }, context);
  });
}

function applier({ name, operation, providers }: ServedDeferringOperation, runtime: Runtime) {
  return served<Repetition, boolean>(
    { name, providers, runtime },
    {
      async run({ event, receivedAt, delivery }, { clock, ports, note, comesFrom, deadline }) {
        note({ delivery, requestId: event.requestContext.requestId, ...traceFields(event.headers) });
        try {
          const received = { receivedAt: new Date(receivedAt), wasDeferred: true } as const;
          const request = await readRequest(operation, event, received);
          comesFrom(requestOrigin(operation, request));
          await operation.run(request, {
            ...ports(operation.uses),
            ...clock,
            caller: undefined,
            deadline,
          });
        } catch (error) {
          if (!isCorrectable(error)) {
            throw error;
          }
          // Nobody waits for the response. The request may be refused only now, because its signature could not be checked when it was
          // received.
          note({ dropped: errorFields(error).message });
        }
        return true;
      },
      recover: () => false,
    },
  );
}
