import type { OrderedQueueOperation } from '../trigger.ts';
import { type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { eachMessage, type QueueRecord } from './queue-event.ts';
import { served } from './served.ts';

/** The Lambda handler of an ordered queue's consumer, with a log line for each message. */
export function serveOrderedQueue(
  name: string,
  operation: OrderedQueueOperation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
) {
  return eachMessage(
    served<QueueRecord, boolean>(
      { name, providers, runtime },
      {
        async run({ body, attributes }, { clock, ports, note }) {
          const sentAt = new Date(Number(attributes.SentTimestamp));
          note(await operation.run(JSON.parse(body), { ...ports(operation.uses), ...clock, sentAt }));
          return true;
        },
        recover: () => false,
      },
    ),
  );
}
