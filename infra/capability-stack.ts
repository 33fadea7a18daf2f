import { NestedStack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Alarms } from './alarms.ts';
import type { HttpApi } from './http-api.ts';
import { operationFunction, type Platform } from './operation-function.ts';
import { pascalCase } from './pascal-case.ts';
import { ofKind, type Registered } from './registry.ts';
import { scheduledFunction } from './scheduled-function.ts';
import type { SocketApi } from './socket-api.ts';

export interface CapabilityProps {
  readonly operations: readonly Registered[];
  readonly platform: Platform;
  readonly httpApi: HttpApi;
  readonly socketApi: SocketApi;
  readonly alarms: Alarms;
}

/**
 * The functions and routes of one folder of operations. Nested, because a template holds at most 500 resources and an operation
 * takes 5. Not an independent stack, because what the operations refer to (above all the public keys) must be able to change, and
 * CloudFormation never changes a value that another stack imports.
 */
export class CapabilityStack extends NestedStack {
  constructor(scope: Construct, folder: string, props: CapabilityProps) {
    super(scope, pascalCase(folder), { description: `Switchboard: the operations of functions/${folder}` });
    const { operations, platform, httpApi, socketApi, alarms } = props;
    for (const one of ofKind(operations, 'http')) {
      httpApi.addRoutes(this, pascalCase(one.name), one, operationFunction(this, one, platform));
    }
    for (const one of ofKind(operations, 'socket')) {
      socketApi.addRoute(this, pascalCase(one.name), one, operationFunction(this, one, platform));
    }
    for (const one of ofKind(operations, 'schedule')) {
      alarms.watchSchedule(
        this,
        pascalCase(one.name),
        scheduledFunction(this, pascalCase(one.name), one, platform),
      );
    }
  }
}
