import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { buildQueryString, type HttpRequest, HttpResponse } from '@smithy/core/protocols';
import type { NodeHttpHandler } from '@smithy/node-http-handler';

/** In milliseconds. */
export interface AwsHttpLimits {
  /** Until a new connection is open. Waiting for a connection in use counts towards the next limit. */
  readonly connectionTimeout: number;
  /** Until the response begins, and for each pause in it. */
  readonly requestTimeout: number;
}

type Options = NonNullable<Parameters<NodeHttpHandler['handle']>[1]>;

/** What requests of one protocol are sent with. */
interface Transport {
  readonly agent: Agent;
  readonly send: (options: RequestOptions) => ClientRequest;
}

type Handled = { response: HttpResponse };

/** As many as the SDK's default. */
const usualConnections = 50;

/** Errors of broken connections, which the SDK treats as timeouts and retries. */
const broken: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/**
 * Sends requests to an AWS service over kept-alive connections, like the SDK's own handler and with its errors, but reads whole
 * responses: DynamoDB, SQS and SES never stream theirs. Without limits it waits forever. After a timeout on a kept-alive connection
 * it closes all idle ones: the service, or a frozen function, may have ended them too, and each would cost one more try.
 */
export class AwsHttp {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #limits: Partial<AwsHttpLimits>;
  readonly #transports = new Map<string, Transport>();

  constructor(limits: Partial<AwsHttpLimits> = {}) {
    this.#limits = limits;
  }

  handle(request: HttpRequest, options: Options = {}): Promise<Handled> {
    const abortSignal = options.abortSignal as AbortSignal | undefined;
    const { connectionTimeout = 0 } = this.#limits;
    const responseTimeout = options.requestTimeout ?? this.#limits.requestTimeout ?? 0;
    const query = buildQueryString(request.query);
    return new Promise((resolve, reject) => {
      if (abortSignal?.aborted) {
        return reject(aborted(abortSignal));
      }
      const { agent, send } = this.#transportFor(request.protocol);
      const sent = send({
        agent,
        host: request.hostname.replace(/^\[(.*)\]$/, '$1'),
        port: request.port,
        method: request.method,
        path: query === '' ? request.path : `${request.path}?${query}`,
        headers: request.headers,
      });
      const done = () => {
        clearTimeout(connecting);
        clearTimeout(waiting);
        abortSignal?.removeEventListener('abort', abort);
      };
      const fail = (error: Error) => {
        done();
        sent.destroy();
        if (sent.reusedSocket && error.name === 'TimeoutError') {
          endIdle(agent);
        }
        reject(error);
      };
      const abort = () => abortSignal && fail(aborted(abortSignal));
      let connecting: NodeJS.Timeout | undefined;
      const waiting = timer(responseTimeout, () => fail(late('response', request, responseTimeout)));
      abortSignal?.addEventListener('abort', abort, { once: true });
      sent.once('socket', (socket) => {
        if (socket.connecting) {
          connecting = timer(connectionTimeout, () => fail(late('connection', request, connectionTimeout)));
          socket.once('connect', () => clearTimeout(connecting));
        }
      });
      const onError = (error: NodeJS.ErrnoException) =>
        fail(broken.has(error.code) ? Object.assign(error, { name: 'TimeoutError' }) : error);
      sent.on('error', onError);
      sent.on('response', (response: IncomingMessage) => {
        const chunks: Buffer[] = [];
        waiting?.refresh();
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          waiting?.refresh();
        });
        response.on('error', onError);
        response.on('end', () => {
          done();
          resolve({ response: responseOf(response, chunks) });
        });
      });
      sent.end(request.body);
    });
  }

  updateHttpClientConfig(): void {}

  httpHandlerConfigs() {
    return this.#limits;
  }

  destroy(): void {
    for (const { agent } of this.#transports.values()) {
      agent.destroy();
    }
  }

  #transportFor(protocol: string): Transport {
    const known = this.#transports.get(protocol);
    if (known !== undefined) {
      return known;
    }
    const { Agent, request } = moduleFor(protocol);
    const agent = new Agent({ keepAlive: true, maxSockets: usualConnections });
    const transport = { agent, send: request };
    this.#transports.set(protocol, transport);
    return transport;
  }
}

function endIdle({ freeSockets }: Agent): void {
  for (const socket of Object.values(freeSockets).flatMap((sockets) => sockets ?? [])) {
    socket.destroy();
  }
}

/** Not imported, because importing `node:http` as a module loads the HTTP client of `fetch`: 20 ms of every cold start. */
function moduleFor(protocol: string) {
  return protocol === 'https:'
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http');
}

function timer(milliseconds: number, act: () => void): NodeJS.Timeout | undefined {
  return milliseconds > 0 ? setTimeout(act, milliseconds) : undefined;
}

function late(what: 'connection' | 'response', { hostname }: HttpRequest, milliseconds: number): Error {
  const from = what === 'connection' ? 'to' : 'from';
  return Object.assign(new Error(`No ${what} ${from} ${hostname} within ${milliseconds} ms`), {
    name: 'TimeoutError',
    code: 'ETIMEDOUT',
  });
}

function aborted({ reason }: AbortSignal): Error {
  const known = reason instanceof Error || !reason;
  const error = known ? new Error('Request aborted', { cause: reason }) : new Error(String(reason));
  return Object.assign(error, { name: 'AbortError' });
}

function responseOf({ statusCode = -1, statusMessage, headers }: IncomingMessage, chunks: Buffer[]) {
  const [first] = chunks;
  return new HttpResponse({
    statusCode,
    ...(statusMessage !== undefined && { reason: statusMessage }),
    headers: headers as Record<string, string>, // Only `set-cookie` would be a list.
    body: chunks.length === 1 ? first : Buffer.concat(chunks),
  });
}
