import type { OrderedQueueOperation } from '../trigger.ts';
import { type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { eachGroup, type QueueRecord } from './queue-event.ts';
import { served } from './served.ts';

/** The Lambda handler of an ordered queue's consumer, with a log line for the messages of each group. */
export function serveOrderedQueue(
  name: string,
  operation: OrderedQueueOperation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
) {
  return eachGroup(
    served<readonly QueueRecord[], boolean>(
      { name, providers, runtime },
      {
        async run(records, { clock, ports, note }) {
          note({ messages: records.length });
          const messages = records.map(({ body, attributes }) => ({
            message: JSON.parse(body),
            sentAt: new Date(Number(attributes.SentTimestamp)),
          }));
          note(await operation.run(messages, { ...ports(operation.uses), ...clock }));
          return true;
        },
        recover: () => false,
      },
    ),
  );
}
