import type { OrderedQueueOperation, QueueOperation } from '../trigger.ts';
import { type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { eachMessage, type QueueRecord } from './queue-event.ts';
import { served } from './served.ts';

/** The Lambda handler of a queue's consumer, with a log line for each message. */
export function serveQueue(
  name: string,
  operation: QueueOperation | OrderedQueueOperation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
) {
  return eachMessage(
    served<QueueRecord, boolean>(
      { name, providers, runtime },
      {
        async run({ body, attributes }, { clock, ports, note }) {
          const delivery = Number(attributes.ApproximateReceiveCount);
          note({ delivery });
          const sentAt = new Date(Number(attributes.SentTimestamp));
          const context = { ...ports(operation.uses), ...clock, clock: runtime.clock, delivery, sentAt };
          note(await operation.run(JSON.parse(body), context));
          return true;
        },
        recover: () => false,
      },
    ),
  );
}
