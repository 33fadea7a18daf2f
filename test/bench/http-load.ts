import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What was answered while a load lasted. */
export interface Answered {
  readonly perSecond: number;
  /** Responses by status. */
  readonly statuses: ReadonlyMap<number, number>;
}

export interface Load {
  readonly connections: number;
  readonly seconds: number;
  /** The whole text of a connection's next request. */
  next(): string;
}

/**
 * Sends requests over connections that stay open, each its next one when the last is answered. It reads no more of a response than
 * its status and length, so that it takes little of a machine that it shares with the server.
 */
export async function load(url: string, { connections, seconds, next }: Load): Promise<Answered> {
  const statuses = new Map<number, number>();
  const start = performance.now();
  const end = start + seconds * 1_000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = await connected(url);
      while (performance.now() < end) {
        const status = await connection.ask(next());
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      connection.close();
    }),
  );
  const total = Iterator.from(statuses.values()).reduce((sum, count) => sum + count, 0);
  return { perSecond: (total * 1_000) / (performance.now() - start), statuses };
}

/** The text of a request, for example `POST /api/contacts` with a body. */
export function requestText(route: string, headers: Record<string, string> = {}, body?: unknown): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const all = {
    host: '127.0.0.1',
    ...headers,
    ...(text && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`${route} HTTP/1.1`, ...lines, '', text].join('\r\n');
}

interface Connection {
  /** Resolves with the status of the response once all of it has come. */
  ask(request: string): Promise<number>;
  close(): void;
}

async function connected(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  return connectionOver(socket);
}

function connectionOver(socket: Socket): Connection {
  let received: Buffer = Buffer.alloc(0);
  let answer = Promise.withResolvers<number>();
  answer.promise.catch(() => undefined);
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) {
      return;
    }
    const head = received.toString('latin1', 0, headEnd);
    const length = /^content-length: (\d+)$/im.exec(head)?.[1] ?? '0';
    if (received.length >= headEnd + 4 + Number(length)) {
      received = Buffer.alloc(0);
      answer.resolve(Number(head.slice(9, 12)));
    }
  });
  socket.on('error', (error) => answer.reject(error));
  socket.on('close', () => answer.reject(new Error('The server closed a connection.')));
  return {
    ask(request) {
      answer = Promise.withResolvers();
      socket.write(request);
      return answer.promise;
    },
    close: () => socket.destroy(),
  };
}
