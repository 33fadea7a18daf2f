import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

const tenGigabytes = 10 * 1_024 ** 3;

type Answer = (response: ServerResponse, isFirst: boolean) => unknown;

/** How addresses answer a post; `isFirst` tells whether the event comes for the first time. */
export const manners = {
  good: (response) => response.writeHead(204).end(),
  'fails at first': (response, isFirst) => response.writeHead(isFirst ? 500 : 204).end(),
  'always 500': (response) => response.writeHead(500).end('no'),
  'never answers': () => undefined,
  resets: ({ socket }) => socket?.resetAndDestroy(),
  redirects: (response) => response.writeHead(302, { location: '/redirected' }).end(),
  'byte by byte': answerSlowly,
  '10 GB': answerEndlessly,
} satisfies Record<string, Answer>;

export type Manner = keyof typeof manners;

async function answerSlowly(response: ServerResponse): Promise<void> {
  response.writeHead(200);
  while (!response.closed) {
    response.write('.');
    await pause(200);
  }
}

async function answerEndlessly(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-length': tenGigabytes });
  await pipeline(function* chunks() {
    const chunk = Buffer.alloc(65_536, '.');
    for (let left = tenGigabytes; left > 0; left -= chunk.length) {
      yield chunk;
    }
  }, response);
}

/** An address to which events are posted, and what has come. */
export class Receiver {
  readonly path: string;
  readonly manner: Manner;
  /** By the id of an event: the times of its posts, in milliseconds since 1970. */
  readonly times = new Map<string, number[]>();
  /** Posts that the library refused, or whose header names another event than the body. */
  unverified = 0;
  #webhook: Webhook | undefined;

  constructor(path: string, manner: Manner) {
    this.path = path;
    this.manner = manner;
  }

  set secret(secret: string) {
    this.#webhook = new Webhook(secret);
  }

  /** Posts so far. */
  get count(): number {
    return [...this.times.values()].reduce((sum, times) => sum + times.length, 0);
  }

  countFor(id: string): number {
    return this.times.get(id)?.length ?? 0;
  }

  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const now = Date.now();
    const body = Buffer.concat(await request.toArray()).toString();
    const id = String(request.headers['webhook-id']);
    try {
      const event = this.#webhook?.verify(body, request.headers as Record<string, string>);
      this.unverified += (event as { id?: string } | undefined)?.id === id ? 0 : 1;
    } catch {
      this.unverified += 1;
    }
    const times = this.times.get(id) ?? [];
    this.times.set(id, [...times, now]);
    await manners[this.manner](response, times.length === 0);
  }
}

/** The server of all receivers. */
export interface Receivers {
  readonly url: string;
  /** Posts to another path: whoever followed a redirect makes one. */
  readonly strays: number;
  stop(): void;
}

export async function startReceivers(receivers: readonly Receiver[]): Promise<Receivers> {
  let strays = 0;
  const server = createServer((request, response) => {
    const receiver = receivers.find(({ path }) => path === request.url);
    if (receiver === undefined) {
      strays += 1;
      response.writeHead(404).end();
      return;
    }
    // A host that is killed cuts its posts off.
    receiver.receive(request, response).catch(() => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get strays() {
      return strays;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
