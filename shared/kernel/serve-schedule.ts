import { described, newCall, type Providers, type Runtime, systemRuntime } from './runtime.ts';
import type { ScheduleOperation } from './trigger.ts';

/**
 * The Lambda handler of what runs by the clock. A run that fails is thrown back: the service may try it again, an alarm
 * rings, and the next run takes up what is left.
 */
export function serveSchedule(
  name: string,
  operation: ScheduleOperation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
): () => Promise<void> {
  return async () => {
    const call = newCall(runtime, providers);
    try {
      const figures = await operation.run({ ...call.ports(operation.uses, undefined), ...call.moment });
      runtime.log({ level: 'info', operation: name, ...figures, ...call.consumed() });
    } catch (error) {
      runtime.log({ level: 'error', operation: name, ...call.consumed(), defect: described(error) });
      throw new Error(`${name} could not do all of its work`);
    }
  };
}
