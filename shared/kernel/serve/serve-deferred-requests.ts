import { requestOrigin } from '../actor.ts';
import { isCorrectable } from '../failure.ts';
import { readRequest } from '../http/http-request.ts';
import { traceFields } from '../http/traceparent.ts';
import { maxDeliveries } from '../message-queue.ts';
import type { DeferralOutcome, Operation } from '../operation.ts';
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

type Outcome = Pick<DeferralOutcome, 'status' | 'reason' | 'output' | 'packed'>;

/** A deferred request, how often the queue has delivered it, and as it was packed. */
type Repetition = DeferredRequest & { readonly delivery: number; readonly packed: string };

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
    return apply({ ...deferred, delivery, packed: body }, context);
  });
}

function applier({ name, operation, providers }: ServedDeferringOperation, runtime: Runtime) {
  return served<Repetition, boolean>(
    { name, providers, runtime },
    {
      async run({ event, receivedAt, delivery, packed }, { clock, ports, note, comesFrom, deadline }) {
        const { requestId } = event.requestContext;
        note({ delivery, requestId, ...traceFields(event.headers) });
        const context = () => ({ ...ports(operation.uses), ...clock });
        let keep: (outcome: Outcome) => Promise<void> = async () => undefined;
        try {
          const received = { receivedAt: new Date(receivedAt), wasDeferred: true } as const;
          const request = await readRequest(operation, event, received);
          comesFrom(requestOrigin(operation, request));
          keep = async (outcome) => {
            try {
              const { receivedAt } = received;
              await operation.keepReceipt?.({ requestId, receivedAt, ...outcome }, request, context());
            } catch (error) {
              note({ receipt: errorFields(error).message });
            }
          };
          // Said beforehand, because the time of a try, or its process, may end first.
          if (delivery >= maxDeliveries) {
            await keep({ status: 'dead', reason: 'given_up', packed });
          } else if (delivery === 1) {
            await keep({ status: 'kept', reason: 'deferred' });
          }
          const output = await operation.run(request, { ...context(), caller: undefined, deadline });
          await keep({ status: 'applied', output });
        } catch (error) {
          if (!isCorrectable(error)) {
            throw error;
          }
          // Nobody waits for the response. The request may be refused only now, because its signature could not be checked when it was
          // received.
          const reason = errorFields(error).message;
          note({ dropped: reason });
          await keep({ status: 'dropped', reason: String(reason) });
        }
        return true;
      },
      recover: () => false,
    },
  );
}
