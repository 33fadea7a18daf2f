import * as z from 'zod/mini';
import { ActorResponse } from '../../shared/kernel/schemas/actor-response.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../../shared/kernel/schemas/fields.ts';
import { replySchemas } from '../../shared/kernel/schemas/reply-schemas.ts';
import type { SocketOperation } from '../../shared/kernel/trigger.ts';
import { eventSchemas } from '../../shared/notifications/event-schemas.ts';
import { pascalCase } from '../pascal-case.ts';
import type { Registered } from '../registry.ts';
import type { OperationObject } from './object-types.ts';
import { componentSchema, type Direction, type Schema } from './schemas.ts';

/** The component of an event's or a reply's frame. */
export const frameName = (event: string) => `${pascalCase(event)}Frame`;

/** The component of a client's frame. */
export const actionName = (action: string) => `${pascalCase(action)}Action`;

export const eventNames = Object.keys(eventSchemas);
const replyNames = Object.keys(replySchemas);

/**
 * The gateway's own frame. Source:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-logging.html
 */
const GatewayFrame = described(
  z.object({ message: anyString, connectionId: anyString, requestId: anyString }),
  {
    message: 'What went wrong.',
    connectionId: 'Identifies the connection, for problem reports.',
    requestId: 'Identifies the frame, for problem reports.',
  },
  {
    id: 'GatewayFrame',
    description: 'The gateway responded in place of the service, because of too many frames or a failure.',
  },
);

/** The operations that a frame starts, by its `action`. */
export function socketActions(sockets: readonly Registered<SocketOperation>[]): SocketOperation[] {
  return sockets.map(({ operation }) => operation).filter(({ on }) => !on.startsWith('$'));
}

/** Every frame of the WebSocket API, for the components of the document. */
export function socketSchemas(
  sockets: readonly Registered<SocketOperation>[],
): { schema: z.core.$ZodType; direction: Direction }[] {
  const received = [
    ...Object.entries({ ...eventSchemas, ...replySchemas }).map(([event, data]) => frameOf(event, data)),
    GatewayFrame,
  ];
  return [
    ...received.map((schema) => ({ schema, direction: 'output' as const })),
    ...socketActions(sockets).map((operation) => ({
      schema: actionOf(operation),
      direction: 'input' as const,
    })),
  ];
}

/** `{id, event, at, actor, data}`; a reply has no `actor`. Source: decisions 11; integrations 1. */
function frameOf(event: string, data: z.ZodMiniObject): z.ZodMiniObject {
  const isEvent = event in eventSchemas;
  const description = z.globalRegistry.get(data)?.description;
  return described(
    z.object({
      id: anyString,
      event: z.literal(event),
      at: dateTime,
      ...(isEvent && { actor: ActorResponse }),
      data: data.check(z.meta({ id: `${pascalCase(event)}Data` })),
    }),
    {
      id: 'Identifies the frame. A repeated event has the same id; `resume` takes that of the last event.',
      event: 'The kind of frame.',
      at: 'When it happened.',
      ...(isEvent && { actor: 'Who did it.' }),
      data: 'The details.',
    },
    { id: frameName(event), ...(description === undefined ? {} : { description }) },
  );
}

function actionOf({ on, summary, fields = {} }: SocketOperation): z.ZodMiniObject {
  return described(
    z.object({
      action: z.literal(on),
      ...Object.fromEntries(Object.keys(fields).map((name) => [name, anyString])),
    }),
    { action: 'What the client asks for.', ...fields },
    { id: actionName(on), description: `${summary}.` },
  );
}

/** All events, all frames that a client receives, and all that it can send. */
export function socketUnions(sockets: readonly Registered<SocketOperation>[]): Record<string, Schema> {
  return {
    LiveEvent: {
      description: 'Any event. One with an `id` that you have seen before is a repetition.',
      ...oneOf(eventNames.map(frameName)),
    },
    ReceivedFrame: {
      description: 'Any frame that a client receives.',
      ...oneOf(['LiveEvent', ...replyNames.map(frameName), 'GatewayFrame']),
    },
    SentFrame: {
      description: 'Any frame that a client can send.',
      ...oneOf(socketActions(sockets).map(({ on }) => actionName(on))),
    },
  };
}

const oneOf = (names: readonly string[]): Schema => ({ anyOf: names.map(componentSchema) });

/** The handshake that opens a connection. It is not a path of the HTTP API, because it has its own address. */
export const handshake: OperationObject = {
  operationId: 'open-connection',
  tags: ['System'],
  summary: 'Open a WebSocket for live events',
  description: 'At the address that `/api/asyncapi.json` names.',
  security: [],
  parameters: [
    {
      name: 'token',
      in: 'query',
      required: true,
      description: 'The `socketToken` of login, register or refresh.',
      schema: { type: 'string' },
    },
  ],
  responses: {
    101: {
      description: 'Switching Protocols: from now on both sides send frames.',
      content: { 'application/json': { schema: oneOf(['ReceivedFrame', 'SentFrame']) } },
    },
    401: { description: 'The token is invalid, expired or missing.' },
  },
};
