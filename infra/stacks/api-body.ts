import { withoutParameterNames } from '../route-keys.ts';

/** A route with the function behind it. The strings may be references that the deployment resolves. */
export interface GatewayRoute {
  /** For example `GET /api/contacts/{id}`, or `$default` for every request that matches no other route. */
  readonly key: string;
  /** Whether anyone may call it; for every other route, the authorizer has to allow the request. */
  readonly isOpen: boolean;
  /** The URI by which the gateway invokes the function. */
  readonly uri: string;
  /** The role with which the gateway invokes the function. */
  readonly roleArn: string;
}

export interface ApiDescription {
  readonly title: string;
  readonly routes: readonly GatewayRoute[];
  readonly authorizer: {
    readonly uri: string;
    /** How long the gateway caches its result for one `Authorization` header. */
    readonly cacheSeconds: number;
  };
  readonly cors: {
    readonly allowOrigins: readonly string[];
    readonly allowMethods: readonly string[];
    readonly allowHeaders: readonly string[];
    readonly exposeHeaders: readonly string[];
    readonly maxAge: number;
  };
}

/** The name of the authorizer, by which operations refer to it. */
const bearer = 'bearer';

/** For every request that no other route takes. */
const defaultRoute = { path: '/$default', method: 'x-amazon-apigateway-any-method' };

/**
 * The OpenAPI document by which API Gateway creates an HTTP API: its routes with their functions, the authorizer and CORS. It describes
 * nothing for people, and all that OpenAPI requires, because the import fails on a warning.
 * @throws when two paths differ in the names of their parameters only, which OpenAPI forbids.
 */
export function apiBody({ title, routes, authorizer, cors }: ApiDescription): object {
  const paths: Record<string, Record<string, object>> = {};
  const spellings = new Map<string, string>();
  for (const route of routes) {
    const { path, method } = operationPath(route.key);
    const former = spellings.get(withoutParameterNames(path)) ?? path;
    if (former !== path) {
      throw new Error(`${path} and ${former} must name their parameters alike.`);
    }
    spellings.set(withoutParameterNames(path), path);
    paths[path] = { ...paths[path], [method]: operationOf(route) };
  }
  return {
    openapi: '3.0.1',
    info: { title, version: '1.0' },
    paths,
    components: {
      securitySchemes: {
        [bearer]: {
          type: 'apiKey',
          name: 'Authorization',
          in: 'header',
          'x-amazon-apigateway-authorizer': {
            type: 'request',
            authorizerUri: authorizer.uri,
            authorizerPayloadFormatVersion: '2.0',
            enableSimpleResponses: true,
            identitySource: '$request.header.Authorization',
            authorizerResultTtlInSeconds: authorizer.cacheSeconds,
          },
        },
      },
    },
    'x-amazon-apigateway-cors': cors,
  };
}

function operationPath(key: string): { path: string; method: string } {
  const [method = '', path] = key.split(' ');
  return path === undefined ? defaultRoute : { path, method: method.toLowerCase() };
}

function operationOf({ key, isOpen, uri, roleArn }: GatewayRoute): object {
  const parameters = [...key.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return {
    ...(key === '$default' ? { isDefaultRoute: true } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: { default: { description: 'What the function returns' } },
    ...(isOpen ? {} : { security: [{ [bearer]: [] }] }),
    'x-amazon-apigateway-integration': {
      type: 'AWS_PROXY',
      httpMethod: 'POST',
      uri,
      credentials: roleArn,
      payloadFormatVersion: '2.0',
    },
  };
}
