import { setTimeout as pause } from 'node:timers/promises';
import type { Samples } from './figures.ts';
import { HttpConnection, HttpConnections, type HttpRequest, type HttpResponse } from './http-connection.ts';

export interface ExpectedRequest extends HttpRequest {
  /** The expected status; any 2xx if absent. */
  readonly status?: number;
}

export interface Load {
  /** Each sends its next request once it has the response. */
  readonly connections: number;
  readonly seconds: number;
  /** Requests to send in all; as many as the seconds allow if absent. */
  readonly most?: number;
  /** A connection's next request; `connection` counts from 0. */
  next(connection: number): ExpectedRequest;
  /** A text that every response must contain. */
  readonly containing?: string;
  /** Sent meanwhile at a steady rate, on other connections. */
  readonly beside?: readonly { readonly perSecond: number; next(): ExpectedRequest }[];
}

export interface Loaded extends Samples {
  /** The requests that were sent meanwhile. */
  readonly beside: Omit<Samples, 'elapsed'>;
  /** The first unexpected response. */
  readonly firstProblem?: string;
}

/** Sends requests for the given time. Resolves even if no response was as expected. */
export async function load(
  url: string,
  { connections, seconds, most = Number.POSITIVE_INFINITY, next, containing, beside = [] }: Load,
): Promise<Loaded> {
  const [main, aside] = [new Tally(containing), new Tally()];
  const start = performance.now();
  const end = start + seconds * 1_000;
  let left = most;
  const loops = Array.from({ length: connections }, async (_, index) => {
    const connection = new HttpConnection(url);
    while (performance.now() < end && left > 0) {
      left -= 1;
      await main.count(connection, next(index));
    }
    connection.close();
  });
  const paced = beside.map(async (other) => {
    const others = new HttpConnections(url);
    await evenly(other.perSecond, seconds, () => aside.count(others, other.next()));
    others.close();
  });
  await Promise.all(loops);
  const elapsed = performance.now() - start;
  await Promise.all(paced);
  const firstProblem = main.firstProblem ?? aside.firstProblem;
  return {
    times: main.times,
    failures: main.failures,
    elapsed,
    beside: { times: aside.times, failures: aside.failures },
    ...(firstProblem === undefined ? {} : { firstProblem }),
  };
}

/** Starts work at a steady rate, however long each takes; `turn` counts from 0. Resolves when the last one has ended. */
export async function evenly(
  perSecond: number,
  seconds: number,
  work: (turn: number) => Promise<unknown>,
): Promise<void> {
  const underWay = new Set<Promise<unknown>>();
  const start = performance.now();
  for (let turn = 0; performance.now() - start < seconds * 1_000; turn += 1) {
    const one: Promise<unknown> = work(turn).finally(() => underWay.delete(one));
    underWay.add(one);
    await pause(Math.max(0, start + ((turn + 1) * 1_000) / perSecond - performance.now()));
  }
  await Promise.all(underWay);
}

interface Asked {
  ask(request: HttpRequest): Promise<HttpResponse>;
}

class Tally {
  readonly #containing: string | undefined;
  readonly times: number[] = [];
  failures = 0;
  firstProblem: string | undefined;

  constructor(containing?: string) {
    this.#containing = containing;
  }

  async count(asked: Asked, request: ExpectedRequest): Promise<void> {
    const { method, path } = request;
    const start = performance.now();
    try {
      const { status, body } = await asked.ask(request);
      const holds = this.#containing === undefined || body.includes(this.#containing);
      if (holds && isExpected(status, request.status)) {
        this.times.push(performance.now() - start);
        return;
      }
      this.firstProblem ??= `${method} ${path} returned ${status}: ${body.toString('utf8', 0, 300)}`;
    } catch (error) {
      this.firstProblem ??= `${method} ${path}: ${error}`;
    }
    this.failures += 1;
  }
}

function isExpected(status: number, expected: number | undefined): boolean {
  return expected === undefined ? status >= 200 && status < 300 : status === expected;
}
