import { Refused } from './failure.ts';
import { described, newCall, type Providers, type Runtime, systemRuntime } from './runtime.ts';
import type { SocketOperation } from './trigger.ts';

/** The part of the WebSocket API's event that the kernel reads. */
export interface SocketEvent {
  requestContext: { connectionId: string; requestId: string; routeKey: string };
  queryStringParameters?: Record<string, string | undefined> | null;
  body?: string | null;
  isBase64Encoded?: boolean;
}

interface SocketResult {
  statusCode: number;
  body?: string;
}

/** The Lambda handler behind a route of the WebSocket API. What it answers goes back to the client as one frame. */
export function serveSocket(
  name: string,
  operation: SocketOperation,
  providers: Providers,
  runtime: Runtime = systemRuntime,
): (event: SocketEvent) => Promise<SocketResult> {
  return async (event) => {
    const call = newCall(runtime, providers);
    const frame = (name: string, data: Record<string, unknown>) =>
      JSON.stringify({ id: call.moment.newId(), event: name, at: call.moment.now.toISOString(), data });
    const log = (status: number, error?: unknown) =>
      runtime.log({
        level: status >= 500 ? 'error' : 'info',
        operation: name,
        requestId: event.requestContext.requestId,
        connectionId: event.requestContext.connectionId,
        status,
        ...call.consumed(),
        ...(status >= 500 ? { defect: described(error) } : {}),
      });
    try {
      const answer = await operation.run(
        {
          connectionId: event.requestContext.connectionId,
          token: event.queryStringParameters?.token,
          frame: frameOf(event),
        },
        { ...call.ports(operation.uses, undefined), ...call.moment },
      );
      log(200);
      return answer === undefined
        ? { statusCode: 200 }
        : { statusCode: 200, body: frame(answer.event, answer.data) };
    } catch (error) {
      if (error instanceof Refused) {
        log(401);
        return {
          statusCode: 401,
          body: frame('error', { message: 'The token is invalid or expired. Send a fresh socket token.' }),
        };
      }
      log(500, error);
      return { statusCode: 500, body: frame('error', { message: 'Internal server error' }) };
    }
  };
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
