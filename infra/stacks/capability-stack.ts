import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { NestedStack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Operation } from '../../shared/kernel/operation.ts';
import type { ScheduleOperation, SocketOperation } from '../../shared/kernel/trigger.ts';
import type { FunctionPlan } from '../function-plan.ts';
import { pascalCase } from '../pascal-case.ts';
import { type AnyOperation, ofKind, type Registered } from '../registry.ts';
import type { Alarms } from './alarms.ts';
import type { RoutedOperation } from './http-api.ts';
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
 * The functions of one folder of operations. It is a nested stack, because a template has at most 500 resources and an operation needs
 * two. It is not an independent stack, because values that operations refer to (above all the public keys) must be able to change, and
 * CloudFormation never changes a value that another stack imports.
 */
export class CapabilityStack extends NestedStack {
  /** The operations behind routes of the HTTP API. */
  readonly routed: readonly RoutedOperation[];
  /** The operations behind routes of the WebSocket API, with their functions. */
  readonly onSocket: readonly (readonly [Registered<SocketOperation>, LambdaFunction])[];

  constructor(scope: Construct, folder: string, props: CapabilityProps) {
    super(scope, pascalCase(folder), { description: `Switchboard: the operations of functions/${folder}` });
    const { operations, schedules, platform, alarms } = props;
    const http = ofKind(operations, 'http');
    this.routed = http.length === 0 ? [] : this.#behindRoutes(http, platform);
    this.onSocket = ofKind(operations, 'socket').map((entry) => [
      entry,
      operationFunction(this, entry, platform),
    ]);
    for (const plan of schedules) {
      const id = pascalCase(plan.name);
      alarms.watchSchedule(this, id, scheduledFunction(this, id, plan, platform));
    }
  }

  /**
   * The functions of HTTP operations, with a role by which the gateway may invoke these and no others. Permissions of the functions would
   * have to name the API, which is created after them.
   */
  #behindRoutes(http: readonly Registered<Operation>[], platform: Platform): RoutedOperation[] {
    const functions = http.map((entry) => {
      const { functionArn } = operationFunction(this, entry, platform);
      return { ...entry, functionArn };
    });
    const resources = functions.map(({ functionArn }) => functionArn);
    const statements = [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources })];
    const { roleArn } = new Role(this, 'GatewayRole', {
      description: 'What the HTTP API may invoke',
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: { functions: new PolicyDocument({ statements }) },
    });
    return functions.map((entry) => ({ ...entry, roleArn }));
  }
}
