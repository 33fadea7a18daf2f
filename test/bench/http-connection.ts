import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly token?: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer;
}

/** Node's servers close a connection after five idle seconds, possibly just as the next request arrives. */
const restMilliseconds = 2_000;

const answerMilliseconds = 60_000;

/**
 * A connection that stays open, for one request at a time. It parses only the status and the length of a response, because it shares
 * the machine with the server: the client of a library takes twice the processor time.
 */
export class HttpConnection {
  readonly #url: URL;
  #socket: Socket | undefined;
  #usedAt = 0;
  #received: Buffer = Buffer.alloc(0);
  #answer: PromiseWithResolvers<HttpResponse> | undefined;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Sends a request, on a new connection if the last one is closed. Rejects if no response arrives within a minute. */
  async ask(request: HttpRequest): Promise<HttpResponse> {
    if (performance.now() - this.#usedAt > restMilliseconds) {
      this.close();
    }
    this.#socket ??= await this.#open();
    this.#received = Buffer.alloc(0);
    this.#answer = Promise.withResolvers();
    this.#socket.write(this.#textOf(request));
    const response = await this.#answer.promise;
    this.#usedAt = performance.now();
    return response;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #open(): Promise<Socket> {
    const { hostname, port } = this.#url;
    const socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      timeout: answerMilliseconds,
    });
    await once(socket, 'connect');
    const fail = (error: Error) => {
      if (this.#socket === socket) {
        this.#socket = undefined;
        this.#answer?.reject(error);
      }
    };
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('timeout', () => socket.destroy(new Error('There was no response for a minute.')));
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('The server closed the connection.')));
    return socket;
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) {
      return;
    }
    const head = this.#received.toString('latin1', 0, headEnd);
    const status = Number(head.slice(9, 12));
    const length = /^content-length: (\d+)$/im.exec(head)?.[1];
    if (length === undefined && status !== 204) {
      this.#socket?.destroy(new Error(`The response with status ${status} does not say its length.`));
      return;
    }
    const body = this.#received.subarray(headEnd + 4);
    if (body.length >= Number(length ?? 0)) {
      this.#answer?.resolve({ status, body });
    }
  }

  #textOf({ method, path, body, token }: HttpRequest): string {
    const text = body === undefined ? '' : JSON.stringify(body);
    const lines = [`${method} ${path} HTTP/1.1`, `host: ${this.#url.host}`];
    if (token !== undefined) {
      lines.push(`authorization: Bearer ${token}`);
    }
    if (body !== undefined) {
      lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(text)}`);
    }
    return `${lines.join('\r\n')}\r\n\r\n${text}`;
  }
}

/** As many connections as there are concurrent requests. */
export class HttpConnections {
  readonly #url: string;
  readonly #idle: HttpConnection[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  async ask(request: HttpRequest): Promise<HttpResponse> {
    const connection = this.#idle.pop() ?? new HttpConnection(this.#url);
    try {
      return await connection.ask(request);
    } finally {
      this.#idle.push(connection);
    }
  }

  /** Must be called after the last response. */
  close(): void {
    for (const connection of this.#idle.splice(0)) {
      connection.close();
    }
  }
}
