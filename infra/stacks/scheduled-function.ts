import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { ScheduleOperation } from '../../shared/kernel/trigger.ts';
import type { FunctionPlan } from '../function-plan.ts';
import type { AnyOperation } from '../registry.ts';
import { type Platform, plannedFunction } from './operation-function.ts';

export interface ScheduledFunction {
  readonly function: LambdaFunction;
  readonly everyMinutes: number;
}

/** The most minutes that an asynchronous event waits for a function. Source: Lambda, asynchronous invocation. */
const longestWait = 6 * 60;

/** The function of a schedule, with the rule that runs it. */
export function scheduledFunction(
  scope: Construct,
  id: string,
  plan: FunctionPlan<ScheduleOperation, AnyOperation>,
  platform: Platform,
): ScheduledFunction {
  const { everyMinutes, parts = 1 } = plan.operations[0].operation.on;
  const target = plannedFunction(scope, plan, platform);
  // A run that could not start, or has failed, is not retried once the next one is due.
  const tries = { retryAttempts: 2, maxEventAge: Duration.minutes(Math.min(everyMinutes, longestWait)) };
  target.configureAsyncInvoke(tries);
  new Rule(scope, `${id}Rule`, {
    description: plan.summary,
    schedule: Schedule.rate(Duration.minutes(everyMinutes)),
    targets: Array.from({ length: parts }, (_, part) => {
      const event = parts === 1 ? {} : { event: RuleTargetInput.fromObject({ part }) };
      return new FunctionTarget(target, { ...tries, ...event });
    }),
  });
  return { function: target, everyMinutes };
}
