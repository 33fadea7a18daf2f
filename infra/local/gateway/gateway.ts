import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Deployment } from '../deployment.ts';
import { isFromOtherPage, isFromPage } from '../guard.ts';
import type { HostLog } from '../host-log.ts';
import { type Interface, listen, listeningUrl } from '../listening.ts';
import { manageConnection, managedConnectionId } from './connections.ts';
import { HttpApi } from './http-api.ts';
import { gatewayResponse, type HttpResponse, internalServerError } from './http-response.ts';
import { SocketApi, type SocketLimits } from './socket-api.ts';
import { isForInbox, WebhookInbox } from './webhook-inbox.ts';

export interface GatewayOptions {
  /** 0 takes a free one. */
  port: number;
  on: Interface;
  log: HostLog;
  invoke(functionName: string, event: unknown): Promise<unknown>;
  limits: SocketLimits;
}

/** The one port of the host: the HTTP API, the WebSocket API at `/socket`, the management of its connections, and an inbox for webhooks. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #server = createServer((request, response) => void this.#handle(request, response));
  readonly #inbox = new WebhookInbox();
  #http: HttpApi | undefined;
  #socket: SocketApi | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#server.keepAliveTimeout = 65_000;
    this.#server.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket, head));
  }

  /** Resolves with the address, for example `http://127.0.0.1:3000`. */
  listen(): Promise<string> {
    return listen(this.#server, this.#options.port, this.#options.on);
  }

  /** The address for functions on this machine, once it listens. */
  get ownUrl(): string {
    return listeningUrl(this.#server);
  }

  /** From now on these APIs serve requests. Connections stay open, and requests under way finish on the former ones. */
  serve({ http, socket }: Deployment): void {
    const { limits, invoke } = this.#options;
    this.#http = new HttpApi(http, this.#options);
    this.#socket ??= new SocketApi({ plan: socket, invoke, limits });
    this.#socket.plan = socket;
  }

  /** Requests under way, and the `$disconnect` functions of connections, get this long to finish. */
  async stop(milliseconds: number): Promise<void> {
    if (!this.#server.listening) {
      return;
    }
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), milliseconds);
    await Promise.all([closed, this.#socket?.stop(milliseconds)]);
    clearTimeout(timer);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const connectionId = managedConnectionId(request);
      if (connectionId !== undefined && isThisMachine(request) && !isFromPage(request)) {
        return await manageConnection(this.#socket?.connection(connectionId), request, response);
      }
      if (isForInbox(request) && isThisMachine(request) && !isFromOtherPage(request)) {
        return await this.#inbox.handle(request, response);
      }
      if (this.#http) {
        return await this.#http.handle(request, response);
      }
      send(response, gatewayResponse(503, 'Service Unavailable'));
    } catch {
      // The client is gone, or the function returned a header that HTTP does not allow.
      if (response.headersSent) {
        response.destroy();
      } else {
        send(response, internalServerError());
      }
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const isSocketPath = /^\/socket(\?|$)/.test(request.url ?? '');
    if (isSocketPath && this.#socket) {
      return this.#socket.handleUpgrade(request, socket, head);
    }
    socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  }
}

function send(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  response.writeHead(status, headers).end(body);
}

/** Only functions may write to connections and to the inbox, and they run on this machine. (A page in a browser does, too, and is refused apart.) */
function isThisMachine({ socket }: IncomingMessage): boolean {
  return socket.remoteAddress === socket.localAddress;
}
