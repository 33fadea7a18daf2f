import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { SchedulePlan } from './schedule-plan.ts';
import { account, region } from './template/intrinsics.ts';
import { FunctionError } from './workers/function-error.ts';

export interface SchedulesOptions {
  invoke(functionName: string, event: unknown): Promise<unknown>;
  log(line: string): void;
}

/** The functions that run on a schedule. */
export interface Schedules {
  /** Runs these once started. A new or changed one runs at once, the others keep their interval. */
  run(plans: SchedulePlan[]): void;
  /** Nothing runs before this is called. */
  start(): void;
  stop(): void;
}

/** The longest delay of a timer, in milliseconds; a timer with more fires at once. */
const longestTimer = 2 ** 31 - 1;

export function openSchedules({ invoke, log }: SchedulesOptions): Schedules {
  const running = new Map<string, { plan: SchedulePlan; timer: NodeJS.Timeout }>();
  let wanted: SchedulePlan[] = [];
  let hasStarted = false;

  function begin(plan: SchedulePlan): NodeJS.Timeout {
    let isUnderWay = false;
    const runOnce = async () => {
      // Runs that take longer than their rate would pile up and slow each other down.
      if (isUnderWay) {
        return;
      }
      isUnderWay = true;
      await invoke(plan.functionName, eventOf(plan)).catch((error: unknown) => {
        // The log of the function has its own failure.
        if (hasStarted && !(error instanceof FunctionError)) {
          log(`${plan.functionName} was not run: ${error}`);
        }
      });
      isUnderWay = false;
    };
    void runOnce();
    return setInterval(() => void runOnce(), Math.min(plan.everyMilliseconds, longestTimer));
  }

  function apply(plans: SchedulePlan[]): void {
    const former = new Map(running);
    running.clear();
    for (const plan of plans) {
      const same = former.get(plan.id);
      if (same && isDeepStrictEqual(same.plan, plan)) {
        former.delete(plan.id);
        running.set(plan.id, same);
      } else {
        running.set(plan.id, { plan, timer: begin(plan) });
      }
    }
    for (const { timer } of former.values()) {
      clearInterval(timer);
    }
  }

  return {
    run(plans) {
      wanted = plans;
      if (hasStarted) {
        apply(wanted);
      }
    },
    start() {
      hasStarted = true;
      apply(wanted);
    },
    stop() {
      hasStarted = false;
      apply([]);
    },
  };
}

/** The event that EventBridge hands to the target of a schedule. */
function eventOf({ ruleArn, input }: SchedulePlan): object {
  if (input !== undefined) {
    return JSON.parse(input);
  }
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account,
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    region,
    resources: [ruleArn],
    detail: {},
  };
}
