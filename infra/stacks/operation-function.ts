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
import {
  Duration,
  type IResolvable,
  Names,
  Reference,
  Stack,
  Tokenization,
  Validations,
} from 'aws-cdk-lib/core';
import type { Construct, IConstruct } from 'constructs';
import { type QueueName, queues, queueTimeLimits } from '../../shared/kernel/message-queue.ts';
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
  switch (operation?.kind) {
    case 'http':
      return (trigger === 'http' ? operation.timeLimit : undefined) ?? invocationLimits[trigger];
    case 'orderedQueue':
      return queueTimeLimit(operation.queue);
    default:
      return invocationLimits[trigger];
  }
}

/** The same for the consumer of a queue. */
export function queueTimeLimit(name: QueueName): number {
  return queueTimeLimits[name] ?? invocationLimits[queues[name]];
}

function statementOf({ actions, resources, conditions }: Grant): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [...actions],
    resources: [...resources],
    ...(conditions === undefined ? {} : { conditions }),
  });
}

/** Acknowledges the cdk-nag finding for each of `resources` with a wildcard in its name. */
function acknowledgeWildcards(scope: IConstruct, resources: readonly string[], reason: string): void {
  for (const resource of resources.filter((name) => name.includes('*'))) {
    Validations.of(scope).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${asInTemplate(scope, resource)}]`,
      reason,
    });
  }
}

/** The text as cdk-nag prints it: values that only the deployment resolves appear as the references in the template of the scope. */
function asInTemplate(scope: IConstruct, text: string): string {
  return Tokenization.reverseString(text)
    .mapTokens({ mapToken: (token) => nameInTemplate(Stack.of(scope), token, scope.node.path) })
    .join({ join: (left, right) => `${left ?? ''}${right ?? ''}` });
}

function nameInTemplate(stack: Stack, token: IResolvable, path: string): string {
  const home = Reference.isReference(token) ? Stack.of(token.target) : stack;
  if (outermost(home) !== outermost(stack)) {
    // The export of another stack. Requesting it creates it, as the reference itself would.
    const imported = stack.resolve(home.exportValue(token)) as { 'Fn::ImportValue': string };
    return imported['Fn::ImportValue'];
  }
  const { Ref: name } = stack.resolve(token) as { Ref?: string };
  if (name === undefined) {
    throw new Error(`${path}: a resource with a wildcard must be named by references only.`);
  }
  // A resource of another template comes in through a parameter.
  return name.startsWith('AWS::') || !Reference.isReference(token) || home === stack
    ? `<${name}>`
    : `<referenceto${Names.nodeUniqueId(token.target.node)}${token.displayName}>`;
}

/** The top-level stack, which contains the nested ones. */
function outermost(stack: Stack): Stack {
  return stack.nestedStackParent === undefined ? stack : outermost(stack.nestedStackParent);
}
