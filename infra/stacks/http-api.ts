import { CfnApi, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { CfnPermission, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Operation, Throttle } from '../../shared/kernel/operation.ts';
import type { Registered } from '../registry.ts';
import { routeKeys } from '../route-keys.ts';
import type { Settings } from '../settings.ts';
import { accessLog } from './access-log.ts';
import { apiBody } from './api-body.ts';
import { mapToDomain } from './custom-domains.ts';

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

/** The response headers that pages of other origins may read, in addition to the headers that every page may read. */
const readableHeaders = [
  'allow',
  'apigw-requestid',
  'date',
  'etag',
  'idempotent-replayed',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'www-authenticate',
  'x-request-id',
];

/** An operation behind a route, with its function and the role with which the gateway invokes that. */
export interface RoutedOperation extends Registered<Operation> {
  readonly functionArn: string;
  readonly roleArn: string;
}

export interface HttpApiProps {
  readonly operations: readonly RoutedOperation[];
  readonly authorizer: LambdaFunction;
  readonly settings: Settings;
}

/**
 * The HTTP API, all of it in one resource: its routes, their integrations, the authorizer and CORS are the OpenAPI document that it imports.
 * It is created after the functions behind its routes, so that none of these can refer to it.
 */
export class HttpApi extends Construct {
  readonly id: string;
  /** Where clients call it. */
  readonly url: string;
  /** The gateway's own URL, which works whatever the domain is. */
  readonly ownUrl: string;
  readonly stage = '$default';

  constructor(scope: Construct, id: string, { operations, authorizer, settings }: HttpApiProps) {
    super(scope, id);
    const { stackName, partition, region, urlSuffix } = Stack.of(this);
    // The only form that AWS documents for an import: a function's ARN alone is for `AWS::ApiGatewayV2::Integration`.
    const uriOf = (functionArn: string) =>
      `arn:${partition}:apigateway:${region}:lambda:path/2015-03-31/functions/${functionArn}/invocations`;
    const api = new CfnApi(this, 'Api', {
      body: apiBody({
        title: `${stackName} HTTP`,
        routes: operations.flatMap(({ operation, functionArn, roleArn }) => {
          const isOpen = operation.minimumRole === 'anyone';
          return routeKeys(operation).map((key) => ({ key, isOpen, uri: uriOf(functionArn), roleArn }));
        }),
        authorizer: {
          uri: uriOf(authorizer.functionArn),
          cacheSeconds: authorizerCache.toSeconds(),
        },
        // Tokens are in a header that a page must set itself, never in a cookie: so any origin may call, unless a deployment says which.
        cors: {
          allowOrigins: settings.corsOrigins,
          allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
          // `*` also allows tracing headers and `Idempotency-Key`. By the Fetch standard it does not cover `authorization`.
          allowHeaders: ['authorization', '*'],
          exposeHeaders: readableHeaders,
          maxAge: Duration.hours(24).toSeconds(),
        },
      }),
      // The gateway would leave out what it does not understand, such as the authorizer of a route.
      failOnWarnings: true,
    });
    this.id = api.ref;
    this.ownUrl = `https://${this.id}.execute-api.${region}.${urlSuffix}`;
    this.url = settings.httpDomain === undefined ? this.ownUrl : `https://${settings.httpDomain}`;
    // The id of the authorizer is known only after the import, and the API has no other.
    new CfnPermission(this, 'AuthorizerInvocation', {
      action: 'lambda:InvokeFunction',
      principal: 'apigateway.amazonaws.com',
      functionName: authorizer.functionArn,
      sourceArn: Stack.of(this).formatArn({
        service: 'execute-api',
        resource: this.id,
        resourceName: 'authorizers/*',
      }),
    });
    const stage = new CfnStage(this, 'Stage', {
      apiId: this.id,
      stageName: this.stage,
      autoDeploy: true,
      defaultRouteSettings: {
        throttlingRateLimit: defaultThrottle.rate,
        throttlingBurstLimit: defaultThrottle.burst,
      },
      routeSettings: routeSettings(operations),
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
    mapToDomain(this, stage, settings.httpDomain);
  }
}

/** The throttles of routes, as in the template: the library passes these properties on unchanged. */
function routeSettings(operations: readonly Registered<Operation>[]): Record<string, object> {
  const settings = operations.flatMap(({ operation }) => {
    const { throttle } = operation;
    return throttle === undefined
      ? []
      : routeKeys(operation).map((key) => [
          key,
          { ThrottlingRateLimit: throttle.rate, ThrottlingBurstLimit: throttle.burst },
        ]);
  });
  return Object.fromEntries(settings);
}
