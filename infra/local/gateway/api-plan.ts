import * as z from 'zod';
import type { Resource } from '../template/assembly.ts';
import { functionNameIn, only, read, unsupported } from '../template/plan.ts';
import type { Resources } from '../template/resources.ts';

const Cors = z.object({
  AllowOrigins: z.tuple([z.literal('*')], { error: 'the local host supports only the origin *' }),
  AllowMethods: z.array(z.string()),
  AllowHeaders: z.array(z.string()),
  ExposeHeaders: z.array(z.string()),
  MaxAge: z.number(),
  AllowCredentials: unsupported('credentials of other origins'),
});
export type CorsPlan = z.infer<typeof Cors>;

const HttpApi = z.object({ CorsConfiguration: Cors });
const SocketApi = z.object({
  RouteSelectionExpression: z.string().regex(/^\$request\.body\.\w+$/, {
    error: 'the local host looks for the route of a message in a field of its body',
  }),
});

const Stage = z.object({ ApiId: z.string(), StageName: z.string() });

const Route = z.object({
  ApiId: z.string(),
  RouteKey: z.string().regex(/^((DELETE|GET|HEAD|PATCH|POST|PUT) [^+]+|[$\w]+)$/, {
    error: 'the local host supports neither routes of ANY method nor greedy parameters',
  }),
  Target: z.string(),
  AuthorizationType: z.enum(['NONE', 'CUSTOM']).default('NONE'),
  AuthorizerId: z.string().optional(),
  RouteResponseSelectionExpression: z.string().optional(),
});

const Integration = z.object({
  IntegrationType: z.literal('AWS_PROXY', {
    error: 'the local host supports only integrations of functions',
  }),
  IntegrationUri: z.string(),
  PayloadFormatVersion: z
    .literal('2.0', { error: 'the local host supports only payload format 2.0' })
    .optional(),
  TimeoutInMillis: z.number().optional(),
  RequestParameters: unsupported('mappings of parameters'),
  ResponseParameters: unsupported('mappings of parameters'),
});

const Authorizer = z.object({
  AuthorizerType: z.literal('REQUEST'),
  AuthorizerUri: z.string(),
  AuthorizerPayloadFormatVersion: z.literal('2.0'),
  EnableSimpleResponses: z.literal(true),
  AuthorizerResultTtlInSeconds: z.number(),
  IdentitySource: z.tuple([
    z
      .string()
      .startsWith('$request.header.', { error: 'the local host supports only headers as identity sources' }),
  ]),
});

/** A Lambda authorizer of an HTTP API, with payload format 2.0 and simple responses. */
export interface AuthorizerPlan {
  id: string;
  functionName: string;
  /** The name of the header that it looks at, in lower case. */
  header: string;
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
  cors: CorsPlan;
  routes: HttpRoutePlan[];
}

export interface SocketRoutePlan {
  key: string;
  functionName: string;
  timeoutMilliseconds: number;
  /** Whether the client gets the result of the function. */
  returnsResult: boolean;
}

export interface SocketApiPlan {
  id: string;
  stage: string;
  /** The field of a message that names its route. */
  selection: string;
  routes: SocketRoutePlan[];
}

/** HTTP APIs end an integration after 30 seconds, WebSocket APIs after 29. */
const httpTimeout = 30_000;
const socketTimeout = 29_000;

/** The HTTP API with its routes, authorizers and CORS. @throws for a template that this host cannot run. */
export function httpApi(resources: Resources): HttpApiPlan {
  const { id, stage, resource } = onlyApi(resources, 'HTTP');
  if (stage !== '$default') {
    throw new Error(`The local host runs the stage $default, not ${stage}.`);
  }
  return {
    id,
    cors: read(resources, resource, HttpApi).CorsConfiguration,
    routes: routesOf(resources, id).map(({ route, integration }) => ({
      key: route.RouteKey,
      functionName: functionNameIn(integration.IntegrationUri),
      timeoutMilliseconds: integration.TimeoutInMillis ?? httpTimeout,
      authorizer: authorizerOf(resources, route),
    })),
  };
}

/** The WebSocket API with its routes. @throws for a template that this host cannot run. */
export function socketApi(resources: Resources): SocketApiPlan {
  const { id, stage, resource } = onlyApi(resources, 'WEBSOCKET');
  const { RouteSelectionExpression } = read(resources, resource, SocketApi);
  const responses = resources
    .ofType('AWS::ApiGatewayV2::RouteResponse')
    .map((response) => read(resources, response, z.object({ RouteId: z.string() })).RouteId);
  return {
    id,
    stage,
    selection: RouteSelectionExpression.replace('$request.body.', ''),
    routes: routesOf(resources, id).map(({ id: routeId, route, integration }) => {
      if (route.AuthorizationType !== 'NONE') {
        throw new Error(`The local host runs no authorizer of a WebSocket API: ${route.RouteKey}.`);
      }
      return {
        key: route.RouteKey,
        functionName: functionNameIn(integration.IntegrationUri),
        timeoutMilliseconds: integration.TimeoutInMillis ?? socketTimeout,
        returnsResult: route.RouteResponseSelectionExpression !== undefined && responses.includes(routeId),
      };
    }),
  };
}

function onlyApi(resources: Resources, protocol: 'HTTP' | 'WEBSOCKET') {
  const apis = resources
    .ofType('AWS::ApiGatewayV2::Api')
    .filter(({ properties }) => properties.ProtocolType === protocol);
  const resource = only(apis, `${protocol} API`);
  const id = resources.ref(resource);
  const stages = resources
    .ofType('AWS::ApiGatewayV2::Stage')
    .map((stage) => read(resources, stage, Stage))
    .filter(({ ApiId }) => ApiId === id);
  return { resource, id, stage: only(stages, `stage of the ${protocol} API`).StageName };
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
    header: authorizer.IdentitySource[0].replace('$request.header.', '').toLowerCase(),
    cacheSeconds: authorizer.AuthorizerResultTtlInSeconds,
  };
}

function byRef(resources: Resources, type: string): Map<string, Resource> {
  return new Map(resources.ofType(type).map((resource) => [resources.ref(resource), resource]));
}
