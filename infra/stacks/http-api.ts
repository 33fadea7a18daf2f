import { CfnApi, CfnAuthorizer, CfnIntegration, CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { CfnPermission, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Operation, Throttle } from '../../shared/kernel/operation.ts';
import { pascalCase } from '../pascal-case.ts';
import type { Registered } from '../registry.ts';
import { routeKeys, withoutParameterNames } from '../route-keys.ts';
import type { Settings } from '../settings.ts';
import { accessLog } from './access-log.ts';
import { mapToDomain } from './custom-domains.ts';
import type { Lanes } from './lanes.ts';

/**
 * Requests a second for each route without a throttle of its own; more get a 429 before they cost anything. It is half the quota of an
 * account for all its APIs, so that posts to sockets, which count, too, always get through. Source: API Gateway quotas.
 *
 * A throttle counts all callers together, so it only protects the account: if it were as low as what one caller can send, that caller
 * could use it up for everybody. What one caller may send is the `share` of an operation, and to refuse a request takes its function
 * milliseconds of the concurrency of the account, which is the real limit. A route has a lower throttle only where a single request that
 * is served costs much: a document its many bytes, an export up to half a minute.
 */
const defaultThrottle: Throttle = { rate: 5_000, burst: 2_500 };

/** How long the gateway caches the authorizer's result for one `Authorization` header. */
const authorizerCache = Duration.minutes(5);

/** The response headers that pages of other origins may read, in addition to those that every page may read. */
const readableHeaders = [
  'allow',
  'apigw-requestid',
  'date',
  'etag',
  'location',
  'retry-after',
  'www-authenticate',
  'x-request-id',
];

/**
 * The HTTP API. Its routes are here and not in the stacks of their functions: there, if an operation moved to another folder, its route
 * would be created in one stack before the other stack deletes it, which the gateway refuses.
 */
export class HttpApi extends Construct {
  readonly id: string;
  /** Where clients call it. */
  readonly url: string;
  /** The gateway's own URL, which works whatever the domain is. */
  readonly ownUrl: string;
  readonly stage = '$default';
  readonly #lanes: Lanes;
  readonly #authorizer: CfnAuthorizer;
  readonly #throttles: Record<string, Throttle> = {};

  readonly #domain: string | undefined;

  constructor(
    scope: Construct,
    id: string,
    lanes: Lanes,
    authorizer: LambdaFunction,
    { httpDomain, corsOrigins }: Settings,
  ) {
    super(scope, id);
    const api = new CfnApi(this, 'Api', {
      name: `${Stack.of(this).stackName} HTTP`,
      protocolType: 'HTTP',
      // Tokens are in a header that a page must set itself, never in a cookie: so any origin may call, unless a deployment says which.
      corsConfiguration: {
        allowOrigins: [...corsOrigins],
        allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        // `*` also allows tracing headers and `Idempotency-Key`. By the Fetch standard it does not cover `authorization`.
        allowHeaders: ['authorization', '*'],
        exposeHeaders: readableHeaders,
        maxAge: Duration.hours(24).toSeconds(),
      },
    });
    this.id = api.ref;
    this.#lanes = lanes;
    this.#authorizer = this.#authorizing(authorizer);
    lanes.add(api, this.#authorizer);
    const { region, urlSuffix } = Stack.of(this);
    this.#domain = httpDomain;
    this.ownUrl = `https://${this.id}.execute-api.${region}.${urlSuffix}`;
    this.url = httpDomain === undefined ? this.ownUrl : `https://${httpDomain}`;
  }

  /**
   * Adds the routes of an operation to its function. Their logical ids follow from the route and not from the operation, so that a renamed
   * operation keeps its route.
   */
  addRoutes({ name, operation }: Registered<Operation>, target: LambdaFunction): void {
    const isPublic = operation.minimumRole === 'anyone';
    const integration = new CfnIntegration(this, `${withoutParameterNames(operation.route)} integration`, {
      apiId: this.id,
      integrationType: 'AWS_PROXY',
      integrationUri: target.functionArn,
      payloadFormatVersion: '2.0',
    });
    const routes = routeKeys(operation).map((key) => {
      const route = new CfnRoute(this, withoutParameterNames(key), {
        apiId: this.id,
        routeKey: key,
        target: `integrations/${integration.ref}`,
        ...(isPublic
          ? { authorizationType: 'NONE' }
          : { authorizationType: 'CUSTOM', authorizerId: this.#authorizer.ref }),
      });
      if (isPublic) {
        Validations.of(route).acknowledge({
          id: 'AwsSolutions-APIG4',
          reason: 'The operation is for anyone by contract; it verifies by itself whatever it is sent.',
        });
      }
      if (operation.throttle !== undefined) {
        this.#throttles[key] = operation.throttle;
      }
      const permission = key === operation.route ? name : `${name}-head`;
      this.#allow(Stack.of(target), `${pascalCase(permission)}Invocation`, target, sourceOf(key));
      return route;
    });
    this.#lanes.add(integration, ...routes);
  }

  /** Adds the stage, after all routes: the gateway refuses a throttle for a route that does not exist yet. */
  addStage(): void {
    const stage = new CfnStage(this, 'Stage', {
      apiId: this.id,
      stageName: this.stage,
      autoDeploy: true,
      defaultRouteSettings: {
        throttlingRateLimit: defaultThrottle.rate,
        throttlingBurstLimit: defaultThrottle.burst,
      },
      routeSettings: routeSettings(this.#throttles),
      // Without the path, in which a stranger may type anything: the function's own line has what may be kept of it.
      accessLogSettings: accessLog(this, 'HttpAccessLog', {
        requestId: 'requestId',
        at: 'requestTimeEpoch',
        sourceIp: 'identity.sourceIp',
        route: 'routeKey',
        status: 'status',
        bytes: 'responseLength',
        milliseconds: 'responseLatency',
        integrationError: 'integrationErrorMessage',
        authorizerError: 'authorizer.error',
      }),
    });
    this.#lanes.addAfterAll(stage);
    mapToDomain(this, stage, this.#domain);
  }

  #authorizing(target: LambdaFunction): CfnAuthorizer {
    const { partition, region } = Stack.of(this);
    const authorizer = new CfnAuthorizer(this, 'Authorizer', {
      apiId: this.id,
      name: 'bearer',
      authorizerType: 'REQUEST',
      authorizerUri: `arn:${partition}:apigateway:${region}:lambda:path/2015-03-31/functions/${target.functionArn}/invocations`,
      authorizerPayloadFormatVersion: '2.0',
      enableSimpleResponses: true,
      identitySource: ['$request.header.Authorization'],
      authorizerResultTtlInSeconds: authorizerCache.toSeconds(),
    });
    this.#allow(this, 'AuthorizerInvocation', target, `authorizers/${authorizer.ref}`);
    return authorizer;
  }

  #allow(scope: Construct, id: string, target: LambdaFunction, source: string): void {
    new CfnPermission(scope, id, {
      action: 'lambda:InvokeFunction',
      principal: 'apigateway.amazonaws.com',
      functionName: target.functionArn,
      sourceArn: Stack.of(this).formatArn({
        service: 'execute-api',
        resource: this.id,
        resourceName: source,
      }),
    });
  }
}

/** As in the template: the library passes these properties on unchanged. */
function routeSettings(throttles: Readonly<Record<string, Throttle>>): Record<string, object> {
  const settings = Object.entries(throttles).map(([key, { rate, burst }]) => [
    key,
    { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst },
  ]);
  return Object.fromEntries(settings);
}

/** The gateway's name for a route in a permission: any stage, the method, the path. */
function sourceOf(route: string): string {
  const [method, path] = route.split(' ');
  return path === undefined ? `*/${method}` : `*/${method}${path.replaceAll(/\{[^}]+\}/g, '*')}`;
}
