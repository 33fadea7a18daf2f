import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { CfnApi, CfnIntegration, CfnRoute, CfnRouteResponse, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnPermission, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { type CfnResource, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Throttle } from '../../shared/kernel/operation.ts';
import type { SocketOperation } from '../../shared/kernel/trigger.ts';
import { pascalCase } from '../pascal-case.ts';
import type { Registered } from '../registry.ts';
import type { Settings } from '../settings.ts';
import { accessLog } from './access-log.ts';
import { mapToDomain } from './custom-domains.ts';

/** Handshakes and frames a second, for each route and on all connections together. */
const throttle: Throttle = { rate: 2_000, burst: 2_000 };

const stageName = 'live';

/** The WebSocket API. */
export class SocketApi extends Construct {
  readonly id: string;
  readonly stage = stageName;
  /** Where clients connect. */
  readonly url: string;
  /** Where functions post frames for open connections. */
  readonly endpoint: string;
  /** The routes and their responses. */
  readonly #routes: CfnResource[] = [];

  readonly #domain: string | undefined;

  constructor(scope: Construct, id: string, { socketDomain }: Settings) {
    super(scope, id);
    const api = new CfnApi(this, 'Api', {
      name: `${Stack.of(this).stackName} live events`,
      protocolType: 'WEBSOCKET',
      routeSelectionExpression: '$request.body.action',
    });
    this.id = api.ref;
    const { region, urlSuffix } = Stack.of(this);
    const host = `${this.id}.execute-api.${region}.${urlSuffix}`;
    this.#domain = socketDomain;
    this.url = `wss://${socketDomain ?? `${host}/${stageName}`}`;
    this.endpoint = `https://${host}/${stageName}`;
  }

  /** The open connections, for a permission to post to them or to close them. */
  connectionsArn(method: 'POST' | 'DELETE'): string {
    return this.#arn(`${stageName}/${method}/@connections/*`);
  }

  /** Adds the route of an operation to its function. Its logical id follows from the route key, not from the operation's name. */
  addRoute({ name, operation }: Registered<SocketOperation>, target: LambdaFunction): void {
    const { partition, region } = Stack.of(this);
    const integration = new CfnIntegration(this, `${operation.on} integration`, {
      apiId: this.id,
      integrationType: 'AWS_PROXY',
      integrationUri: `arn:${partition}:apigateway:${region}:lambda:path/2015-03-31/functions/${target.functionArn}/invocations`,
    });
    const answers = operation.on !== '$connect' && operation.on !== '$disconnect';
    const route = new CfnRoute(this, operation.on, {
      apiId: this.id,
      routeKey: operation.on,
      authorizationType: 'NONE',
      target: `integrations/${integration.ref}`,
      ...(answers ? { routeResponseSelectionExpression: '$default' } : {}),
    });
    Validations.of(route).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        'The gateway can authorize a handshake only; there the function verifies the token, and refuses the handshake itself.',
    });
    this.#routes.push(route);
    if (answers) {
      // Without a route response the gateway drops the function's result.
      const response = new CfnRouteResponse(this, `${operation.on} response`, {
        apiId: this.id,
        routeId: route.ref,
        routeResponseKey: '$default',
      });
      this.#routes.push(response);
    }
    new CfnPermission(Stack.of(target), `${pascalCase(name)}Invocation`, {
      action: 'lambda:InvokeFunction',
      principal: 'apigateway.amazonaws.com',
      functionName: target.functionArn,
      sourceArn: this.#arn(`${stageName}/${operation.on}`),
    });
  }

  /** Adds the stage, which is deployed after all routes: the gateway refuses one without routes. */
  addStage(): void {
    const stage = new CfnStage(this, 'Stage', {
      apiId: this.id,
      stageName,
      autoDeploy: true,
      defaultRouteSettings: { throttlingRateLimit: throttle.rate, throttlingBurstLimit: throttle.burst },
      // Never the query string, because it holds the token.
      accessLogSettings: accessLog(this, 'SocketAccessLog', {
        requestId: 'requestId',
        at: 'requestTimeEpoch',
        sourceIp: 'identity.sourceIp',
        connectionId: 'connectionId',
        event: 'eventType',
        route: 'routeKey',
        status: 'status',
        milliseconds: 'integrationLatency',
        error: 'error.message',
        integrationError: 'integrationErrorMessage',
      }),
    });
    stage.node.addDependency(this.#accountMayLog());
    for (const route of this.#routes) {
      stage.addResourceDependency(route);
    }
    mapToDomain(this, stage, this.#domain);
  }

  #arn(resourceName: string): string {
    return Stack.of(this).formatArn({ service: 'execute-api', resource: this.id, resourceName });
  }

  /** The account's role with which a WebSocket API writes its access log; a new account has none. */
  #accountMayLog(): CfnAccount {
    const policy = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';
    const role = new Role(this, 'AccountLogging', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
    });
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`,
      reason:
        'API Gateway accepts no less for the role with which it writes the logs of all APIs of the account.',
    });
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    // The setting belongs to the account and may serve other APIs when this stack is deleted.
    role.applyRemovalPolicy(RemovalPolicy.RETAIN);
    account.applyRemovalPolicy(RemovalPolicy.RETAIN);
    return account;
  }
}
