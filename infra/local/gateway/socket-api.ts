import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocketServer } from 'ws';
import { limitTime, TimeLimitExceeded, unlessDebugged } from '../time-limit.ts';
import type { SocketApiPlan, SocketRoutePlan } from './api-plan.ts';
import { type Connection, maxMessageBytes, sendText } from './connections.ts';
import { gatewayId, sourceIp } from './http-event.ts';
import { connectEvent, disconnectEvent, type KnownConnection, messageEvent } from './socket-event.ts';

export interface SocketLimits {
  /** A connection without a message either way ends after this long; on API Gateway 10 minutes. */
  idleMilliseconds: number;
  /** Every connection ends after this long; on API Gateway 2 hours. */
  longestMilliseconds: number;
}

export interface SocketApiOptions {
  plan: SocketApiPlan;
  invoke(functionName: string, event: unknown): Promise<unknown>;
  limits: SocketLimits;
}

/** A WebSocket API: its connections, and the routes of their messages. */
export class SocketApi {
  /** The routes may change while connections are open. */
  plan: SocketApiPlan;
  readonly #options: SocketApiOptions;
  readonly #connections = new Map<string, Connection>();
  readonly #closing = new Set<Promise<unknown>>();
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    handleProtocols: () => false,
  });

  constructor(options: SocketApiOptions) {
    this.plan = options.plan;
    this.#options = options;
  }

  connection(id: string): Connection | undefined {
    return this.#connections.get(id);
  }

  /** Runs `$connect`, and opens the connection if that returns a success status. */
  async handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const id = gatewayId();
    const known = { id, request, connectedAt: Date.now(), sourceIp: sourceIp(request) };
    const status = await this.#connect(connectEvent(this.plan, known));
    if (status < 200 || status > 299) {
      return refuseUpgrade(socket, status);
    }
    if (socket.destroyed) {
      return this.#disconnect(known, 1006, '');
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#open({ ...known, socket: webSocket, lastActiveAt: Date.now() });
    });
  }

  /** Closes every connection and gives their `$disconnect` functions this long to finish. */
  async stop(milliseconds: number): Promise<void> {
    for (const { socket } of this.#connections.values()) {
      socket.close(1001, 'Going away');
    }
    const closed = async () => {
      while (this.#connections.size > 0 || this.#closing.size > 0) {
        await Promise.all([...this.#closing, new Promise(setImmediate)]);
      }
    };
    await limitTime(milliseconds, closed()).catch(() => undefined);
    for (const { socket } of this.#connections.values()) {
      socket.terminate();
    }
  }

  /** The status of the response to the handshake. */
  async #connect(event: object): Promise<number> {
    const route = this.#route('$connect');
    if (!route) {
      return 200;
    }
    try {
      const result = (await this.#invoke(route, event)) as { statusCode?: unknown } | null;
      const status = Number(result?.statusCode);
      return Number.isInteger(status) ? status : 502;
    } catch (error) {
      // The function's log has the error.
      return error instanceof TimeLimitExceeded ? 504 : 500;
    }
  }

  #open(connection: Connection): void {
    const { id, socket } = connection;
    const { idleMilliseconds, longestMilliseconds } = this.#options.limits;
    this.#connections.set(id, connection);
    const idle = setInterval(
      () => {
        if (Date.now() - connection.lastActiveAt >= idleMilliseconds) {
          socket.close(1001, 'Going away');
        }
      },
      Math.min(idleMilliseconds, 10_000),
    );
    const longest = setTimeout(() => socket.close(1001, 'Going away'), longestMilliseconds);
    socket.on('error', () => undefined); // A protocol error; `close` follows with its code.
    socket.on('ping', () => {
      connection.lastActiveAt = Date.now();
    });
    socket.on('message', (data, isBinary) => {
      if (socket.readyState !== socket.OPEN) {
        return;
      }
      connection.lastActiveAt = Date.now();
      if (isBinary) {
        socket.close(1003, 'Binary frames are not supported');
      } else {
        void this.#receive(connection, textOf(data));
      }
    });
    socket.once('close', (code, reason) => {
      clearInterval(idle);
      clearTimeout(longest);
      this.#connections.delete(id);
      const closing = this.#disconnect(connection, code, reason.toString());
      this.#closing.add(closing);
      void closing.finally(() => this.#closing.delete(closing));
    });
  }

  async #receive(connection: Connection, body: string): Promise<void> {
    const { plan } = this;
    const route = this.#route(selectedKey(plan.selection, body)) ?? this.#route('$default');
    const event = messageEvent(plan, connection, route?.key ?? '$default', body);
    const { requestId, connectionId } = event.requestContext;
    const refuse = (message: string) =>
      reply(connection, JSON.stringify({ message, connectionId, requestId }));
    if (!route) {
      return refuse('Forbidden');
    }
    try {
      const result = (await this.#invoke(route, event)) as { body?: unknown } | null;
      if (route.returnsResult && typeof result?.body === 'string') {
        reply(connection, result.body);
      }
    } catch (error) {
      // The function's log has the error.
      refuse(error instanceof TimeLimitExceeded ? 'Endpoint request timed out' : 'Internal server error');
    }
  }

  async #disconnect(connection: KnownConnection, code: number, reason: string): Promise<void> {
    const route = this.#route('$disconnect');
    const event = disconnectEvent(this.plan, connection, code, reason);
    await (route && this.#options.invoke(route.functionName, event).catch(() => undefined)); // The function's log has the error.
  }

  #invoke({ functionName, timeoutMilliseconds }: SocketRoutePlan, event: unknown): Promise<unknown> {
    return limitTime(unlessDebugged(timeoutMilliseconds), this.#options.invoke(functionName, event));
  }

  /** The route with this key. A message cannot choose `$connect` or `$disconnect`: see `selectedKey`. */
  #route(key: string | undefined): SocketRoutePlan | undefined {
    return this.plan.routes.find((route) => route.key === key);
  }
}

function selectedKey(selection: string, body: string): string | undefined {
  try {
    const selected: unknown = JSON.parse(body)[selection];
    return typeof selected === 'string' && !selected.startsWith('$') ? selected : undefined;
  } catch {
    return undefined; // Not JSON, or null.
  }
}

function reply(connection: Connection, text: string): void {
  const { socket } = connection;
  if (socket.readyState === socket.OPEN && !sendText(connection, text)) {
    // The client sends without reading the replies, and would not read a closing frame either.
    socket.terminate();
  }
}

function textOf(data: RawData): string {
  return Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data as Buffer).toString();
}

function refuseUpgrade(socket: Duplex, status: number): void {
  const code = STATUS_CODES[status] ? status : 500;
  const body = JSON.stringify({ message: STATUS_CODES[code] });
  socket.end(
    `HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}
