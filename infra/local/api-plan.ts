import * as z from 'zod';
import type { Resource } from './assembly.ts';
import { functionNameIn, read } from './plan.ts';
import type { Resources } from './resources.ts';

const unsupported = (what: string) =>
  z.undefined({ error: `${what} is not run by the local host` }).optional();

const Cors = z.object({
  AllowOrigins: z.array(z.string()).default([]),
  AllowMethods: z.array(z.string()).default([]),
  AllowHeaders: z.array(z.string()).default([]),
  ExposeHeaders: z.array(z.string()).default([]),
  MaxAge: z.number().optional(),
  AllowCredentials: z.boolean().default(false),
});
export type CorsPlan = z.infer<typeof Cors>;

const Api = z.object({
  ProtocolType: z.enum(['HTTP', 'WEBSOCKET']),
  CorsConfiguration: Cors.optional(),
  RouteSelectionExpression: z.string().optional(),
});

const Route = z.object({
  ApiId: z.string(),
  RouteKey: z.string(),
  Target: z.string(),
  AuthorizationType: z.enum(['NONE', 'CUSTOM']).default('NONE'),
  AuthorizerId: z.string().optional(),
  RouteResponseSelectionExpression: z.string().optional(),
});

const Integration = z.object({
  IntegrationType: z.enum(['AWS_PROXY', 'MOCK']),
  IntegrationUri: z.string().default(''),
  PayloadFormatVersion: z.string().optional(),
  TimeoutInMillis: z.number().optional(),
  RequestParameters: unsupported('parameter mapping'),
  ResponseParameters: unsupported('parameter mapping'),
});

const IntegrationResponse = z.object({
  IntegrationId: z.string(),
  ResponseTemplates: z.record(z.string(), z.string()).default({}),
});

const Authorizer = z.object({
  AuthorizerType: z.literal('REQUEST'),
  AuthorizerUri: z.string(),
  AuthorizerPayloadFormatVersion: z.literal('2.0'),
  EnableSimpleResponses: z.literal(true),
  AuthorizerResultTtlInSeconds: z.number().default(300),
  IdentitySource: z.array(z.string()).default([]),
});

/** A Lambda authorizer of an HTTP API, with payload format 2.0 and simple responses. */
export interface AuthorizerPlan {
  id: string;
  functionName: string;
  /** For example `$request.header.Authorization`. */
  identitySources: string[];
  cacheSeconds: number;
}

export interface HttpRoutePlan {
  /** For example `GET /contacts/{id}`, or `$default`. */
  key: string;
  functionName: string;
  timeoutMilliseconds: number;
  authorizer: AuthorizerPlan | undefined;
}

export interface HttpApiPlan {
  id: string;
  cors: CorsPlan | undefined;
  routes: HttpRoutePlan[];
}

export interface SocketRoutePlan {
  key: string;
  /** None for a mock integration. */
  functionName: string | undefined;
  /** What a mock integration answers. */
  mockAnswer: string | undefined;
  timeoutMilliseconds: number;
  /** Whether what the function returns goes back to the client. */
  answers: boolean;
}

export interface SocketApiPlan {
  id: string;
  stage: string;
  /** Where in a message its route is named, for example `$request.body.action`. */
  selection: string;
  routes: SocketRoutePlan[];
}

/** HTTP APIs end an integration after 30 seconds, WebSocket APIs after 29. */
const httpTimeout = 30_000;
const socketTimeout = 29_000;

export function httpApi(resources: Resources): HttpApiPlan | undefined {
  const api = onlyApi(resources, 'HTTP');
  if (!api) {
    return undefined;
  }
  const { id, properties } = api;
  const [stage = '$default'] = stagesOf(resources, id);
  if (stage !== '$default') {
    throw new Error(`The local host runs the stage $default, not ${stage}.`);
  }
  return {
    id,
    cors: properties.CorsConfiguration,
    routes: routesOf(resources, id).map(({ route, integration }) => {
      if (integration.IntegrationType !== 'AWS_PROXY' || integration.PayloadFormatVersion !== '2.0') {
        throw new Error(
          `The local host runs Lambda integrations with payload format 2.0: ${route.RouteKey}.`,
        );
      }
      return {
        key: route.RouteKey,
        functionName: functionNameIn(integration.IntegrationUri),
        timeoutMilliseconds: integration.TimeoutInMillis ?? httpTimeout,
        authorizer: authorizerOf(resources, route),
      };
    }),
  };
}

export function socketApi(resources: Resources): SocketApiPlan | undefined {
  const api = onlyApi(resources, 'WEBSOCKET');
  if (!api) {
    return undefined;
  }
  const [stage = 'local'] = stagesOf(resources, api.id);
  const responses = resources
    .ofType('AWS::ApiGatewayV2::RouteResponse')
    .map((resource) => read(resources, resource, z.object({ RouteId: z.string() })).RouteId);
  return {
    id: api.id,
    stage,
    selection: api.properties.RouteSelectionExpression ?? '$request.body.action',
    routes: routesOf(resources, api.id).map(({ id, route, integration }) => {
      if (route.AuthorizationType !== 'NONE') {
        throw new Error(`The local host runs no authorizer of a WebSocket API: ${route.RouteKey}.`);
      }
      const isProxy = integration.IntegrationType === 'AWS_PROXY';
      return {
        key: route.RouteKey,
        functionName: isProxy ? functionNameIn(integration.IntegrationUri) : undefined,
        mockAnswer: isProxy ? undefined : mockAnswerOf(resources, route.Target),
        timeoutMilliseconds: integration.TimeoutInMillis ?? socketTimeout,
        answers: route.RouteResponseSelectionExpression !== undefined && responses.includes(id),
      };
    }),
  };
}

function onlyApi(resources: Resources, protocol: 'HTTP' | 'WEBSOCKET') {
  const apis = resources
    .ofType('AWS::ApiGatewayV2::Api')
    .map((resource) => ({ id: resources.ref(resource), properties: read(resources, resource, Api) }))
    .filter(({ properties }) => properties.ProtocolType === protocol);
  if (apis.length > 1) {
    throw new Error(`The local host runs one ${protocol} API, the templates have ${apis.length}.`);
  }
  return apis[0];
}

function stagesOf(resources: Resources, apiId: string): string[] {
  return resources
    .ofType('AWS::ApiGatewayV2::Stage')
    .map((resource) => read(resources, resource, z.object({ ApiId: z.string(), StageName: z.string() })))
    .filter(({ ApiId }) => ApiId === apiId)
    .map(({ StageName }) => StageName);
}

function routesOf(resources: Resources, apiId: string) {
  const integrations = byRef(resources, 'AWS::ApiGatewayV2::Integration');
  return resources
    .ofType('AWS::ApiGatewayV2::Route')
    .map((resource) => ({ id: resources.ref(resource), route: read(resources, resource, Route) }))
    .filter(({ route }) => route.ApiId === apiId)
    .map(({ id, route }) => {
      const integration = integrations.get(route.Target.replace(/^integrations\//, ''));
      if (!integration) {
        throw new Error(`The route ${route.RouteKey} has no integration.`);
      }
      return { id, route, integration: read(resources, integration, Integration) };
    });
}

/** The text that a mock integration answers; templates are taken as they are. */
function mockAnswerOf(resources: Resources, target: string): string | undefined {
  const responses = resources
    .ofType('AWS::ApiGatewayV2::IntegrationResponse')
    .map((resource) => read(resources, resource, IntegrationResponse))
    .filter(({ IntegrationId }) => target === `integrations/${IntegrationId}`);
  const [text] = responses.flatMap(({ ResponseTemplates }) => Object.values(ResponseTemplates));
  if (text?.includes('$')) {
    throw new Error(`The local host evaluates no template language: ${text}`);
  }
  return text;
}

function authorizerOf(resources: Resources, route: z.infer<typeof Route>): AuthorizerPlan | undefined {
  if (route.AuthorizationType === 'NONE' || !route.AuthorizerId) {
    return undefined;
  }
  const resource = byRef(resources, 'AWS::ApiGatewayV2::Authorizer').get(route.AuthorizerId);
  if (!resource) {
    throw new Error(`The authorizer of ${route.RouteKey} is not in the templates.`);
  }
  const authorizer = read(resources, resource, Authorizer);
  return {
    id: route.AuthorizerId,
    functionName: functionNameIn(authorizer.AuthorizerUri),
    identitySources: authorizer.IdentitySource,
    cacheSeconds: authorizer.AuthorizerResultTtlInSeconds,
  };
}

function byRef(resources: Resources, type: string): Map<string, Resource> {
  return new Map(resources.ofType(type).map((resource) => [resources.ref(resource), resource]));
}
