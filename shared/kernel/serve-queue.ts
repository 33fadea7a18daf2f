import { type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { eachMessage, type QueueRecord } from './queue-event.ts';
import { served } from './served.ts';
import type { QueueOperation } from './trigger.ts';

/** The Lambda handler of a queue's consumer, with a log line for each message. */
export function serveQueue(
  name: string,
  operation: QueueOperation,
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
          note(await operation.run(JSON.parse(body), { ...ports(operation.uses), ...clock, delivery }));
          return true;
        },
        recover: () => false,
      },
    ),
  );
}
