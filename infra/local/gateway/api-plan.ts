import * as z from 'zod';
import { functionNameIn, only, read, unsupported } from '../template/plan.ts';
import type { Resources } from '../template/resources.ts';

const Integration = z.object({
  type: z.literal('AWS_PROXY', { error: 'the local host supports only integrations of functions' }),
  uri: z.string(),
  payloadFormatVersion: z.literal('2.0', { error: 'the local host supports only payload format 2.0' }),
  timeoutInMillis: z.number().optional(),
  requestParameters: unsupported('mappings of parameters'),
  responseParameters: unsupported('mappings of parameters'),
});

const Operation = z.object({
  'x-amazon-apigateway-integration': Integration,
  isDefaultRoute: z.boolean().default(false),
  security: z.tuple([z.record(z.string(), z.array(z.never()))]).optional(),
});

const Authorizer = z.object({
  type: z.literal('request'),
  authorizerUri: z.string(),
  authorizerPayloadFormatVersion: z.literal('2.0'),
  enableSimpleResponses: z.literal(true),
  authorizerResultTtlInSeconds: z.number(),
  identitySource: z.string().regex(/^\$request\.header\.[\w-]+$/, {
    error: 'the local host supports only headers as identity sources',
  }),
});

const Cors = z.object({
  allowOrigins: z.tuple([z.literal('*')], { error: 'the local host supports only the origin *' }),
  allowMethods: z.array(z.string()),
  allowHeaders: z.array(z.string()),
  exposeHeaders: z.array(z.string()),
  maxAge: z.number(),
  allowCredentials: unsupported('credentials of other origins'),
});
export type CorsPlan = z.infer<typeof Cors>;

/** The method under which OpenAPI lists the route of all requests that no other takes. */
const anyMethod = 'x-amazon-apigateway-any-method';

const Method = z.enum(['get', 'head', 'post', 'put', 'patch', 'delete', anyMethod]);

const Paths = z
  .record(z.string(), z.partialRecord(Method, Operation))
  .refine((paths) => !Object.keys(paths).some((path) => path.includes('+}')), {
    error: 'the local host does not support greedy parameters',
  })
  .refine((paths) => Object.values(paths).every((one) => one[anyMethod]?.isDefaultRoute !== false), {
    error: 'the local host does not support routes of any method',
  });

const HttpApi = z.object({
  Body: z.object({
    paths: Paths,
    components: z.object({
      securitySchemes: z.record(z.string(), z.object({ 'x-amazon-apigateway-authorizer': Authorizer })),
    }),
    'x-amazon-apigateway-cors': Cors,
  }),
});
type HttpBody = z.infer<typeof HttpApi>['Body'];

const SocketApi = z.object({
  RouteSelectionExpression: z.string().regex(/^\$request\.body\.\w+$/, {
    error: 'the local host looks for the route of a message in a field of its body',
  }),
});

const Stage = z.object({ ApiId: z.string(), StageName: z.string() });

const SocketRoute = z.object({
  ApiId: z.string(),
  RouteKey: z.string(),
  Target: z.string(),
  AuthorizationType: z.literal('NONE', {
    error: 'the local host runs no authorizer of a WebSocket API',
  }),
  RouteResponseSelectionExpression: z.string().optional(),
});

const SocketIntegration = z.object({
  IntegrationType: z.literal('AWS_PROXY', {
    error: 'the local host supports only integrations of functions',
  }),
  IntegrationUri: z.string(),
  TimeoutInMillis: z.number().optional(),
  RequestParameters: unsupported('mappings of parameters'),
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

/** The HTTP API, from the OpenAPI document that it imports. @throws for a template that this host cannot run. */
export function httpApi(resources: Resources): HttpApiPlan {
  const { id, stage, resource } = onlyApi(resources, 'HTTP');
  if (stage !== '$default') {
    throw new Error(`The local host runs the stage $default, not ${stage}.`);
  }
  const { Body: body } = read(resources, resource, HttpApi);
  return { id, cors: body['x-amazon-apigateway-cors'], routes: httpRoutes(body) };
}

function httpRoutes({ paths, components: { securitySchemes } }: HttpBody): HttpRoutePlan[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const { uri, timeoutInMillis } = operation['x-amazon-apigateway-integration'];
      const key = method === anyMethod ? '$default' : `${method.toUpperCase()} ${path}`;
      const [scheme] = Object.keys(operation.security?.[0] ?? {});
      return {
        key,
        functionName: functionNameIn(uri),
        timeoutMilliseconds: timeoutInMillis ?? httpTimeout,
        authorizer: scheme === undefined ? undefined : authorizerOf(securitySchemes, scheme, key),
      };
    }),
  );
}

function authorizerOf(
  schemes: HttpBody['components']['securitySchemes'],
  id: string,
  key: string,
): AuthorizerPlan {
  const authorizer = schemes[id]?.['x-amazon-apigateway-authorizer'];
  if (!authorizer) {
    throw new Error(`The authorizer of ${key} is not in the template.`);
  }
  return {
    id,
    functionName: functionNameIn(authorizer.authorizerUri),
    header: authorizer.identitySource.replace('$request.header.', '').toLowerCase(),
    cacheSeconds: authorizer.authorizerResultTtlInSeconds,
  };
}

/** The WebSocket API. @throws for a template that this host cannot run. */
export function socketApi(resources: Resources): SocketApiPlan {
  const { id, stage, resource } = onlyApi(resources, 'WEBSOCKET');
  const { RouteSelectionExpression } = read(resources, resource, SocketApi);
  const integrations = new Map(
    resources.ofType('AWS::ApiGatewayV2::Integration').map((one) => [resources.ref(one), one]),
  );
  const responses = resources
    .ofType('AWS::ApiGatewayV2::RouteResponse')
    .map((response) => read(resources, response, z.object({ RouteId: z.string() })).RouteId);
  const routes = resources.ofType('AWS::ApiGatewayV2::Route').map((one) => {
    const route = read(resources, one, SocketRoute);
    const target = integrations.get(route.Target.replace(/^integrations\//, ''));
    if (route.ApiId !== id || !target) {
      throw new Error(`The route ${route.RouteKey} has no integration, or is not of the WebSocket API.`);
    }
    const integration = read(resources, target, SocketIntegration);
    return {
      key: route.RouteKey,
      functionName: functionNameIn(integration.IntegrationUri),
      timeoutMilliseconds: integration.TimeoutInMillis ?? socketTimeout,
      returnsResult:
        route.RouteResponseSelectionExpression !== undefined && responses.includes(resources.ref(one)),
    };
  });
  return { id, stage, selection: RouteSelectionExpression.replace('$request.body.', ''), routes };
}

/** The only API of a protocol: one that imports an OpenAPI document is an HTTP API. */
function onlyApi(resources: Resources, protocol: 'HTTP' | 'WEBSOCKET') {
  const apis = resources
    .ofType('AWS::ApiGatewayV2::Api')
    .filter(({ properties }) => (properties.Body === undefined ? 'WEBSOCKET' : 'HTTP') === protocol);
  const resource = only(apis, `${protocol} API`);
  const id = resources.ref(resource);
  const stages = resources
    .ofType('AWS::ApiGatewayV2::Stage')
    .map((stage) => read(resources, stage, Stage))
    .filter(({ ApiId }) => ApiId === id);
  return { resource, id, stage: only(stages, `stage of the ${protocol} API`).StageName };
}
