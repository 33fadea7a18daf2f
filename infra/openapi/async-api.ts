import type { SocketOperation } from '../../shared/kernel/trigger.ts';
import { ofKind, type Registered } from '../registry.ts';
import { openApiDocument } from './document.ts';
import { componentSchema, type Schema } from './schemas.ts';
import { actionName, eventNames, frameName, socketActions } from './socket-schemas.ts';

interface Message {
  name: string;
  title: string;
  summary: string;
  contentType: 'application/json';
  payload: Schema;
}

interface Reference {
  $ref: string;
}

interface AsyncOperation {
  /** From the perspective of the service, which sends events and receives requests. */
  action: 'send' | 'receive';
  summary: string;
  channel: Reference;
  messages: Reference[];
  reply?: { channel: Reference; messages: Reference[] };
}

/** The part of AsyncAPI 3.0 that the document uses. */
export interface AsyncApiDocument {
  asyncapi: '3.0.0';
  info: Record<string, unknown>;
  defaultContentType: 'application/json';
  servers: Record<'live', Record<string, unknown>>;
  channels: Record<'live', Record<string, unknown>>;
  operations: Record<string, AsyncOperation>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, Record<string, string>> };
}

const channel: Reference = { $ref: '#/channels/live' };
const message = (name: string): Reference => ({ $ref: `#/channels/live/messages/${name}` });

/** The AsyncAPI 3 description of the WebSocket API; its schemas are those of the OpenAPI document. */
export function asyncApiDocument(operations: readonly Registered[]): AsyncApiDocument {
  const { info, components } = openApiDocument(operations);
  const sockets = ofKind(operations, 'socket');
  const { version, license } = info as { version: string; license: { name: string } };
  const messages = messagesOf(sockets, components.schemas);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Switchboard live events',
      version,
      description:
        'The service sends an event over the WebSocket to every connection whose user may see the record that changed. Each frame is JSON of at most 32 KB. Events are delivered at least once: a repeated event has the same `id`.',
      license: { name: license.name },
    },
    defaultContentType: 'application/json',
    servers: {
      // The function puts in its real address.
      live: {
        host: 'localhost',
        protocol: 'wss',
        description: 'The service that serves this document',
        security: [{ $ref: '#/components/securitySchemes/socketToken' }],
      },
    },
    channels: {
      live: {
        address: '/',
        title: 'The connection',
        description:
          'Open it with a socket token in the query string; without a valid one the handshake is refused with 401. A connection is closed after 2 hours, after 10 minutes without a frame, or when it does not take its frames: open another, and `resume`.',
        servers: [{ $ref: '#/servers/live' }],
        bindings: {
          ws: {
            method: 'GET',
            query: {
              type: 'object',
              required: ['token'],
              properties: {
                token: { type: 'string', description: 'The `socketToken` of login, register or refresh.' },
              },
            },
          },
        },
        messages,
      },
    },
    operations: {
      tell: {
        action: 'send',
        summary: 'Report what happened',
        channel,
        messages: [...eventNames, 'resync_required'].map((name) => message(name)),
      },
      ...Object.fromEntries(socketActions(sockets).map((operation) => [operation.on, requestOf(operation)])),
    },
    components: {
      schemas: neededBy(messages, components.schemas),
      securitySchemes: {
        socketToken: {
          type: 'httpApiKey',
          name: 'token',
          in: 'query',
          description: 'The `socketToken` of login, register or refresh, valid for 5 minutes.',
        },
      },
    },
  };
}

/** A client's frame and its replies. */
function requestOf({ on, summary, replies = [] }: SocketOperation): AsyncOperation {
  return {
    action: 'receive',
    summary,
    channel,
    messages: [message(on)],
    reply: { channel, messages: [...replies, 'error'].map((name) => message(name)) },
  };
}

/** Every frame by its `event` or `action`. */
function messagesOf(
  sockets: readonly Registered<SocketOperation>[],
  schemas: Readonly<Record<string, Schema>>,
): Record<string, Message> {
  const actions = socketActions(sockets);
  const replies = new Set(actions.flatMap(({ replies: own = [] }) => own));
  const named = [
    ...[...eventNames, ...replies, 'error'].map((name) => [name, frameName(name)] as const),
    ...actions.map(({ on }) => [on, actionName(on)] as const),
  ];
  return Object.fromEntries(
    named.map(([name, component]): [string, Message] => [
      name,
      {
        name,
        title: component,
        summary: String(schemas[component]?.description ?? ''),
        contentType: 'application/json',
        payload: componentSchema(component),
      },
    ]),
  );
}

/** The schemas that `something` refers to, directly or through others. */
function neededBy(
  something: unknown,
  schemas: Readonly<Record<string, Schema>>,
  found = new Map<string, Schema>(),
): Record<string, Schema> {
  JSON.stringify(something, (key, value: unknown) => {
    const name = key === '$ref' ? String(value).split('/').at(-1) : undefined;
    const schema = name === undefined ? undefined : schemas[name];
    if (name !== undefined && schema !== undefined && !found.has(name)) {
      found.set(name, schema);
      neededBy(schema, schemas, found);
    }
    return value;
  });
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
