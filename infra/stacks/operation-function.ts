import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type CfnFunction,
  type Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { invocationLimits } from '../../shared/kernel/serve/invocation-limits.ts';
import {
  type FunctionPlan,
  functionOfItsOwn,
  portsOfAll,
  type Trigger,
  type TriggeredOperation,
} from '../function-plan.ts';
import type { Grant } from '../grant.ts';
import { pascalCase } from '../pascal-case.ts';
import type { Resources } from '../port-resources.ts';
import type { AnyOperation, Registered } from '../registry.ts';
import { tableGrants } from './table-grants.ts';
import { acknowledgeWildcards } from './wildcards.ts';

/** Everything that the functions of a deployment share. */
export interface Platform {
  /** The code of a function, by the name of its plan. */
  code(name: string): Code;
  /** All operations of the product: a function may perform some that are not its own. */
  readonly operations: readonly Registered[];
  readonly logGroup: ILogGroup;
  readonly resources: Resources;
}

export const runtime = Runtime.NODEJS_24_X;

/** In megabytes. The share of a CPU grows with it: at 1,024 a board takes a few milliseconds. */
const defaultMemory = 1024;

/** The function of one operation. */
export function operationFunction(
  scope: Construct,
  registered: Registered<TriggeredOperation>,
  platform: Platform,
): LambdaFunction {
  return plannedFunction(scope, functionOfItsOwn(registered, platform.operations), platform);
}

/** A function with a role that allows the `uses` of its operations, its log, and the `further` grants. */
export function plannedFunction(
  scope: Construct,
  plan: FunctionPlan,
  { code, logGroup, resources }: Platform,
  further: readonly Grant[] = [],
): LambdaFunction {
  const { name, summary, trigger, operations } = plan;
  const id = pascalCase(name);
  const ports = portsOfAll(plan);
  const grants: Grant[] = [
    { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logGroup.logGroupArn] },
    ...ports.flatMap(({ grants }) => grants?.(resources) ?? []),
    ...tableGrants(ports, resources.tableArn),
    ...further,
  ];
  const role = new Role(scope, `${id}Role`, {
    description: `What ${name} may do`,
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { uses: new PolicyDocument({ statements: grants.map(statementOf) }) },
  });
  for (const { resources, wildcard } of grants) {
    if (wildcard !== undefined) {
      acknowledgeWildcards(role, resources, wildcard);
    }
  }
  const target = new LambdaFunction(scope, id, {
    description: summary,
    runtime,
    architecture: Architecture.ARM_64,
    memorySize: Math.max(defaultMemory, ...ports.map(({ memory = 0 }) => memory)),
    timeout: Duration.millis(timeLimitFor(trigger, operations[0].operation)),
    handler: 'index.handler',
    code: code(name),
    environment: Object.assign({}, ...ports.map(({ environment }) => environment?.(resources))),
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    // Two log lines for each successful invocation would be a third of the price of a read; failures are logged.
    systemLogLevelV2: SystemLogLevel.WARN,
  });
  // A tag and not the name of the function: names are unique in the account, and an operation that moves to another folder would need
  // its name in one stack before the other stack has released it.
  (target.node.defaultChild as CfnFunction).tags.setTag('Name', name);
  return target;
}

/** Milliseconds after which the platform ends an invocation. */
export function timeLimitFor(trigger: Trigger, operation?: AnyOperation): number {
  const own = trigger === 'http' && operation?.kind === 'http' ? operation.timeLimit : undefined;
  return own ?? invocationLimits[trigger];
}

function statementOf({ actions, resources, conditions }: Grant): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [...actions],
    resources: [...resources],
    ...(conditions === undefined ? {} : { conditions }),
  });
}
