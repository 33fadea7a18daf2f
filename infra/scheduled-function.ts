import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { ScheduleOperation } from '../shared/kernel/trigger.ts';
import { operationFunction, type Platform } from './operation-function.ts';
import type { Registered } from './registry.ts';

export interface ScheduledFunction {
  readonly function: LambdaFunction;
  readonly rule: Rule;
}

/** The most minutes that an event waits for a function. Source: Lambda, asynchronous invocation. */
const longestWait = 6 * 60;

/** The function of a schedule, with the rule that runs it. */
export function scheduledFunction(
  scope: Construct,
  id: string,
  registered: Registered<ScheduleOperation>,
  platform: Platform,
): ScheduledFunction {
  const { everyMinutes, parts = 1 } = registered.operation.on;
  const target = operationFunction(scope, registered, platform);
  // A run that could not start or that failed is not retried once the next one is due.
  const tries = { retryAttempts: 2, maxEventAge: Duration.minutes(Math.min(everyMinutes, longestWait)) };
  target.configureAsyncInvoke(tries);
  const rule = new Rule(scope, `${id}Rule`, {
    description: registered.operation.summary,
    schedule: Schedule.rate(Duration.minutes(everyMinutes)),
    targets: Array.from({ length: parts }, (_, part) => {
      const event = parts === 1 ? {} : { event: RuleTargetInput.fromObject({ part }) };
      return new FunctionTarget(target, { ...tries, ...event });
    }),
  });
  return { function: target, rule };
}
