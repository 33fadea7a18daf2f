import { type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { served } from './served.ts';
import type { ScheduleOperation } from './trigger.ts';

/**
 * The Lambda handler of a schedule. A run that fails is thrown again: the platform may retry it, an alarm fires, and the next run
 * continues.
 */
export function serveSchedule(
  name: string,
  operation: ScheduleOperation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
): (event?: unknown, context?: unknown) => Promise<void> {
  return served<unknown, void>(
    { name, providers, runtime },
    {
      async run(_, { clock, ports, note }) {
        note(await operation.run({ ...ports(operation.uses), ...clock }));
      },
      recover() {
        throw new Error(`${name} could not do all of its work`);
      },
    },
  );
}
