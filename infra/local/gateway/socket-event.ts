import type { IncomingMessage } from 'node:http';
import type { SocketApiPlan } from './api-plan.ts';
import type { Connection } from './connections.ts';
import { accessLogTime, gatewayId } from './http-event.ts';

/** A connection before it is open. */
export type KnownConnection = Pick<Connection, 'id' | 'request' | 'connectedAt' | 'sourceIp'>;

/** The event of `$connect`, as API Gateway sends it. */
export function connectEvent(plan: SocketApiPlan, connection: KnownConnection): object {
  const { request } = connection;
  const { single, multiple } = headersOf(request);
  const search = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const names = [...new Set(search.keys())];
  return {
    headers: single,
    multiValueHeaders: multiple,
    ...(names.length > 0 && {
      queryStringParameters: Object.fromEntries(names.map((name) => [name, search.getAll(name).at(-1)])),
      multiValueQueryStringParameters: Object.fromEntries(names.map((name) => [name, search.getAll(name)])),
    }),
    requestContext: contextOf(plan, connection, { routeKey: '$connect', eventType: 'CONNECT' }),
    isBase64Encoded: false,
  };
}

/** The event of a text frame, as API Gateway sends it. */
export function messageEvent(
  plan: SocketApiPlan,
  connection: KnownConnection,
  routeKey: string,
  body: string,
) {
  return {
    requestContext: contextOf(plan, connection, {
      routeKey,
      eventType: 'MESSAGE',
      messageId: gatewayId(),
    }),
    body,
    isBase64Encoded: false,
  };
}

/** The event of `$disconnect`, as API Gateway sends it. */
export function disconnectEvent(
  plan: SocketApiPlan,
  connection: KnownConnection,
  disconnectStatusCode: number,
  disconnectReason: string,
): object {
  const headers = { Host: connection.request.headers.host ?? '', 'x-api-key': '', 'x-restapi': '' };
  return {
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    requestContext: contextOf(plan, connection, {
      routeKey: '$disconnect',
      eventType: 'DISCONNECT',
      disconnectStatusCode,
      disconnectReason,
    }),
    isBase64Encoded: false,
  };
}

/** `requestContext`; `event` has the fields of one kind of event. */
function contextOf<T extends object>(plan: SocketApiPlan, connection: KnownConnection, event: T) {
  const { request, sourceIp, connectedAt, id } = connection;
  const now = Date.now();
  const requestId = gatewayId();
  const userAgent = request.headers['user-agent'];
  return {
    ...event,
    extendedRequestId: requestId,
    requestTime: accessLogTime(now),
    messageDirection: 'IN',
    stage: plan.stage,
    connectedAt,
    requestTimeEpoch: now,
    identity: { ...(userAgent !== undefined && { userAgent }), sourceIp },
    requestId,
    domainName: request.headers.host ?? '',
    connectionId: id,
    apiId: plan.id,
  };
}

/** The headers of the handshake, with their names as the client wrote them. */
function headersOf(request: IncomingMessage) {
  const multiple: Record<string, string[]> = {};
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? '';
    multiple[name] = [...(multiple[name] ?? []), request.rawHeaders[at + 1] ?? ''];
  }
  const single = Object.fromEntries(Object.entries(multiple).map(([name, values]) => [name, values.at(-1)]));
  return { single, multiple };
}
