import { Refused } from '../failure.ts';
import { traceFields } from '../http/traceparent.ts';
import type { SocketOperation } from '../trigger.ts';
import { type Invocation, type Providers, type Runtime, systemRuntime } from './invocation.ts';
import { gatewayLimit } from './invocation-limits.ts';
import { served } from './served.ts';

/** The part of the WebSocket API's event that the kernel reads. */
export interface SocketEvent {
  requestContext: { connectionId: string; requestId: string; routeKey: string };
  /** Only of a handshake. */
  headers?: Record<string, string | undefined>;
  queryStringParameters?: Record<string, string | undefined> | null;
  body?: string | null;
  isBase64Encoded?: boolean;
}

interface SocketResult {
  statusCode: number;
  body?: string;
}

/** The Lambda handler behind a route of the WebSocket API. The client gets the operation's reply as one frame. */
export function serveSocket(
  name: string,
  operation: SocketOperation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
): (event: SocketEvent, context?: unknown) => Promise<SocketResult> {
  return served<SocketEvent, SocketResult>(
    { name, providers, runtime },
    {
      timeout: gatewayLimit,
      async run(event, invocation) {
        const { connectionId, requestId } = event.requestContext;
        invocation.note({ requestId, connectionId, ...traceFields(event.headers) });
        const reply = await operation.run(
          { connectionId, token: event.queryStringParameters?.token, frame: frameOf(event) },
          { ...invocation.ports(operation.uses), ...invocation.clock },
        );
        return reply === undefined
          ? result(200, invocation)
          : result(200, invocation, reply.event, reply.data);
      },
      expects: (error) => error instanceof Refused,
      recover: (error, _, invocation) =>
        error instanceof Refused
          ? result(401, invocation, 'error', {
              message: 'The token is invalid or expired. Send a fresh socket token.',
            })
          : result(500, invocation, 'error', { message: 'Internal server error' }),
    },
  );
}

/** The gateway's result: a status, and the frame for the client, if any. */
function result(
  statusCode: number,
  { clock, note }: Invocation,
  event?: string,
  data: Record<string, unknown> = {},
): SocketResult {
  note({ status: statusCode });
  return event === undefined
    ? { statusCode }
    : { statusCode, body: JSON.stringify({ id: clock.newId(), event, at: clock.now.toISOString(), data }) };
}

function frameOf({ body, isBase64Encoded }: SocketEvent): Record<string, unknown> | undefined {
  try {
    const frame: unknown = JSON.parse(
      isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? ''),
    );
    return typeof frame === 'object' && frame !== null && !Array.isArray(frame)
      ? (frame as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
