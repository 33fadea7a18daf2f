import type { ScheduleOperation } from '../trigger.ts';
import { type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { served } from './served.ts';

/** The input from the rule of a schedule with several parts; that of any other says nothing of a part. */
export interface ScheduleEvent {
  readonly part?: number;
}

/**
 * The Lambda handler of a schedule. A run that fails is thrown again: the platform may retry it, an alarm fires, and the next run
 * continues.
 */
export function serveSchedule(
  name: string,
  operation: ScheduleOperation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
): (event?: ScheduleEvent, context?: unknown) => Promise<void> {
  const run = served<ScheduleEvent, void>(
    { name, providers, runtime },
    {
      async run({ part = 0 }, { clock, ports, note, deadline }) {
        note({ part });
        note(await operation.run({ ...ports(operation.uses), ...clock, deadline, part }));
      },
      recover() {
        throw new Error(`${name} could not do all of its work`);
      },
    },
  );
  return (event = {}, context = undefined) => run(event, context);
}
