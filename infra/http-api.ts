import { CfnApi, CfnAuthorizer, CfnIntegration, CfnRoute, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { CfnPermission, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Operation } from '../shared/kernel/operation.ts';
import { accessLog } from './access-log.ts';
import type { Registered } from './registry.ts';
import { routeKeys } from './route-keys.ts';

/** Requests per second, and in a burst, on all routes; more get a 429 before they cost anything. */
const throttle = { rate: 500, burst: 1000 };

/** How long the gateway caches the authorizer's result for one `Authorization` header. */
const authorizerCache = Duration.minutes(5);

/** The response headers that pages of other origins may read, beside those that every page may. */
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

/** The HTTP API without its routes, which are added where their functions are. */
export class HttpApi extends Construct {
  readonly id: string;
  readonly url: string;
  readonly stage: string;
  readonly #authorizer: CfnAuthorizer;

  constructor(scope: Construct, id: string, authorizer: LambdaFunction) {
    super(scope, id);
    const api = new CfnApi(this, 'Api', {
      name: `${Stack.of(this).stackName} HTTP`,
      protocolType: 'HTTP',
      // Tokens are in a header that a page must set itself, never in a cookie: so any origin may call.
      corsConfiguration: {
        allowOrigins: ['*'],
        allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        // `*` also allows tracing headers and `Idempotency-Key`. By the Fetch standard it does not cover `authorization`.
        allowHeaders: ['authorization', '*'],
        exposeHeaders: readableHeaders,
        maxAge: Duration.hours(24).toSeconds(),
      },
    });
    this.id = api.ref;
    this.#authorizer = this.#authorizing(authorizer);
    const stage = new CfnStage(this, 'Stage', {
      apiId: this.id,
      stageName: '$default',
      autoDeploy: true,
      defaultRouteSettings: { throttlingRateLimit: throttle.rate, throttlingBurstLimit: throttle.burst },
      accessLogSettings: accessLog(this, 'HttpAccessLog', {
        requestId: 'requestId',
        at: 'requestTimeEpoch',
        sourceIp: 'identity.sourceIp',
        route: 'routeKey',
        path: 'path',
        status: 'status',
        bytes: 'responseLength',
        milliseconds: 'responseLatency',
        integrationError: 'integrationErrorMessage',
        authorizerError: 'authorizer.error',
      }),
    });
    this.stage = stage.ref;
    const { region, urlSuffix } = Stack.of(this);
    this.url = `https://${this.id}.execute-api.${region}.${urlSuffix}`;
  }

  /** Adds the routes of an operation to its function. `scope` is the function's stack. */
  addRoutes(
    scope: Construct,
    id: string,
    { operation }: Registered<Operation>,
    target: LambdaFunction,
  ): void {
    const isPublic = operation.minimumRole === 'anyone';
    const integration = new CfnIntegration(scope, `${id}Integration`, {
      apiId: this.id,
      integrationType: 'AWS_PROXY',
      integrationUri: target.functionArn,
      payloadFormatVersion: '2.0',
    });
    for (const key of routeKeys(operation)) {
      const name = key === operation.route ? id : `${id}Head`;
      const route = new CfnRoute(scope, `${name}Route`, {
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
      this.#allow(scope, `${name}Invocation`, target, sourceOf(key));
    }
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

/** The gateway's name for a route in a permission: any stage, the method, the path. */
function sourceOf(route: string): string {
  const [method, path] = route.split(' ');
  return path === undefined ? `*/${method}` : `*/${method}${path.replaceAll(/\{[^}]+\}/g, '*')}`;
}
