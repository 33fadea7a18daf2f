import type { IncomingMessage, ServerResponse } from 'node:http';
import { WebSocket } from 'ws';
import { readLimitedBody } from '../limited-body.ts';

/** An open connection of the WebSocket API. Times are in milliseconds since 1970. */
export interface Connection {
  id: string;
  socket: WebSocket;
  request: IncomingMessage;
  connectedAt: number;
  lastActiveAt: number;
  sourceIp: string;
}

/** API Gateway takes and sends messages of up to 128 KB. */
export const maxMessageBytes = 128 * 1024;

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

/**
 * The largest number of bytes that wait for a client that reads too slowly. API Gateway, too, refuses messages for a connection whose
 * buffer is full; it does not document the size.
 */
const maxBufferedBytes = 1024 * 1024;

/** Sends a text. Returns false if too much is waiting for the client already. */
export function sendText({ socket }: Connection, text: string): boolean {
  const hasRoom = socket.bufferedAmount + Buffer.byteLength(text) <= maxBufferedBytes;
  if (hasRoom) {
    socket.send(text);
  }
  return hasRoom;
}

/**
 * Responds to a request to the `@connections` management API: POST sends a message, DELETE closes the connection. It checks the headers
 * before it reads the message, and reads no more than a message may have.
 */
export async function manageConnection(
  connection: Connection | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Signatures are not verified here, but a caller that forgets to sign would fail on AWS.
  if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) {
    return refuse(response, 403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  }
  if (connection?.socket.readyState !== WebSocket.OPEN) {
    return refuse(response, 410, 'GoneException', 'Gone');
  }
  switch (request.method) {
    case 'POST':
      return post(connection, request, response);
    case 'DELETE':
      connection.socket.close(1000, 'Connection Closed Normally');
      response.writeHead(204).end();
      return;
    default:
      return refuse(response, 403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  }
}

async function post(
  connection: Connection,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const message = await readLimitedBody(request, maxMessageBytes);
  if (message === undefined) {
    return refuse(response, 413, 'PayloadTooLargeException', 'Payload Too Large');
  }
  if (!sendText(connection, message.toString())) {
    return refuse(response, 429, 'LimitExceededException', 'The client reads too slowly');
  }
  connection.lastActiveAt = Date.now();
  response.writeHead(200).end();
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  const { headers } = response.req;
  const isLong = 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > maxMessageBytes;
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'x-amzn-errortype': type,
      // Otherwise the server would read the rest of the message before the next request.
      ...(isLong && { connection: 'close' }),
    })
    .end(JSON.stringify({ message }));
}
