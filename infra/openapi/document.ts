import packageJson from '../../package.json' with { type: 'json' };
import type { Operation } from '../../shared/kernel/operation.ts';
import { ofKind, type Registered } from '../registry.ts';
import { limitHeaderObjects, limitTable } from './announced-limits.ts';
import { errorSchemas } from './error-schemas.ts';
import { introductionWith } from './introduction.ts';
import type { HeaderObject, OpenApiDocument } from './object-types.ts';
import { operationComponents, operationObject, schemasIn } from './operation-object.ts';
import { collectSchemas, type Schema } from './schemas.ts';
import { handshake, socketSchemas, socketUnions } from './socket-schemas.ts';
import { operationTag, publishedTags } from './tags.ts';

const headers: Record<string, HeaderObject> = {
  RequestId: {
    description: 'Identifies this request in the logs; include it when you report a problem.',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 0 },
  },
  ...limitHeaderObjects,
  Challenge: { description: 'Always `Bearer`.', schema: { type: 'string' } },
};

/**
 * The OpenAPI 3.1 description of every HTTP operation under `/api`. The routes outside it, a redirect for browsers and the
 * response to unknown routes, are not for clients.
 */
export function openApiDocument(operations: readonly Registered[]): OpenApiDocument {
  const published = ofKind(operations, 'http').filter(isPublished);
  const sockets = ofKind(operations, 'socket');
  const tags = publishedTags(published);
  const schemas = collectSchemas([...published.flatMap(schemasIn), ...socketSchemas(sockets)]);
  const components = united([
    schemas.components(),
    ...published.map((entry) => operationComponents(entry, schemas)),
    socketUnions(sockets),
    errorSchemas(new Set(published.map(({ operation }) => operation.family))),
  ]);
  const paths: OpenApiDocument['paths'] = {};
  for (const entry of published.toSorted(inReadingOrder)) {
    const { method, path } = routeOf(entry.operation);
    paths[path] = { ...paths[path], [method]: operationObject(entry, operationTag(entry, tags), schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchboard',
      version: packageJson.version,
      summary: 'Contacts on a board, and live events about them.',
      description: introductionWith(limitTable(published.map(({ operation }) => operation))),
      license: { name: 'MIT License', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags,
    paths,
    components: {
      schemas: components,
      headers,
      pathItems: { LiveEvents: { get: handshake } },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'The `token` that login, register and refresh return. On the page `/api/docs`, “Log in” and “Authorize” set the same token.',
        },
      },
    },
  };
}

export function isPublished({ operation: { route } }: Registered<Operation>): boolean {
  return route.includes(' /api/');
}

/** All components, by name. @throws when two have the same name. */
function united(groups: readonly Record<string, Schema>[]): Record<string, Schema> {
  const entries = groups.flatMap((group) => Object.entries(group));
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new Error(`Two schemas of the document are called "${twice}"; rename one.`);
  }
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** Orders operations by path, with a list before its records; for one path, reading before writing. */
function inReadingOrder(a: Registered<Operation>, b: Registered<Operation>): number {
  const [one, other] = [routeOf(a.operation), routeOf(b.operation)];
  return one.path === other.path
    ? methods.indexOf(one.method) - methods.indexOf(other.method)
    : one.path < other.path
      ? -1
      : 1;
}

function routeOf({ route }: Operation): { method: string; path: string } {
  const [method = '', path = ''] = route.split(' ');
  return { method: method.toLowerCase(), path };
}
