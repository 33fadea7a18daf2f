import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { NestedStack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { ScheduleOperation } from '../../shared/kernel/trigger.ts';
import type { FunctionPlan } from '../function-plan.ts';
import { pascalCase } from '../pascal-case.ts';
import { type AnyOperation, ofKind, type Registered } from '../registry.ts';
import type { Alarms } from './alarms.ts';
import { operationFunction, type Platform } from './operation-function.ts';
import { scheduledFunction } from './scheduled-function.ts';

export interface CapabilityProps {
  readonly operations: readonly Registered[];
  /** The functions of its schedules. */
  readonly schedules: readonly FunctionPlan<ScheduleOperation, AnyOperation>[];
  readonly platform: Platform;
  readonly alarms: Alarms;
}

/**
 * The functions of one folder of operations. It is a nested stack, because a template has at most 500 resources and an operation needs 5,
 * of which the route and its integration are in the parent. It is not an independent stack, because values that operations refer to
 * (above all the public keys) must be able to change, and CloudFormation never changes a value that another stack imports.
 */
export class CapabilityStack extends NestedStack {
  /** The functions behind routes, by the names of their operations. */
  readonly functions: ReadonlyMap<string, LambdaFunction>;

  constructor(scope: Construct, folder: string, props: CapabilityProps) {
    super(scope, pascalCase(folder), { description: `Switchboard: the operations of functions/${folder}` });
    const { operations, schedules, platform, alarms } = props;
    const routed = [...ofKind(operations, 'http'), ...ofKind(operations, 'socket')];
    this.functions = new Map(routed.map((one) => [one.name, operationFunction(this, one, platform)]));
    for (const plan of schedules) {
      const id = pascalCase(plan.name);
      alarms.watchSchedule(this, id, scheduledFunction(this, id, plan, platform));
    }
  }
}
