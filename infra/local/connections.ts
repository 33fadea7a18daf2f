import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { WebSocket } from 'ws';

/** An open connection of the WebSocket API. Times are in milliseconds since 1970. */
export interface Connection {
  id: string;
  socket: WebSocket;
  request: IncomingMessage;
  connectedAt: number;
  lastActiveAt: number;
  sourceIp: string;
}

/** API Gateway takes and gives messages of 128 KB. */
export const mostMessageBytes = 128 * 1024;

const managementPath = /^\/[\w$-]+\/@connections\/([^/?]+)$/;

/** The id of the connection that a request to the management API is about; undefined for any other request. */
export function managedConnectionId(request: IncomingMessage): string | undefined {
  const id = managementPath.exec(request.url ?? '')?.[1];
  try {
    return id && decodeURIComponent(id);
  } catch {
    return undefined; // No connection has an id that cannot be decoded.
  }
}

/** Answers a request to the `@connections` management API: POST sends a message, DELETE closes. */
export async function manageConnection(
  connection: Connection | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await buffer(request);
  // Signatures are not verified here, but a caller that forgets to sign would fail on AWS.
  if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) {
    return refuse(response, 403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  }
  if (!connection) {
    return refuse(response, 410, 'GoneException', 'Gone');
  }
  switch (request.method) {
    case 'POST':
      if (body.length > mostMessageBytes) {
        return refuse(response, 413, 'PayloadTooLargeException', 'Payload Too Large');
      }
      connection.socket.send(body.toString());
      connection.lastActiveAt = Date.now();
      response.writeHead(200).end();
      return;
    case 'DELETE':
      connection.socket.close(1000, 'Connection Closed Normally');
      response.writeHead(204).end();
      return;
    default:
      return refuse(response, 403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  }
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type })
    .end(JSON.stringify({ message }));
}
