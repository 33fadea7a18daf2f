import { setTimeout as pause } from 'node:timers/promises';
import type { Samples } from './figures.ts';
import { HttpClient, type HttpRequest } from './http-client.ts';

export interface Load {
  /** Each sends its next request once it has the response. */
  readonly connections: number;
  readonly seconds: number;
  /** A connection's next request; `connection` counts from 0. */
  next(connection: number): HttpRequest;
}

export interface Loaded extends Samples {
  /** The first response that was no success. */
  readonly firstProblem?: string;
}

/** Sends requests for the given time. Resolves even if no response is a success. */
export async function load(url: string, { connections, seconds, next }: Load): Promise<Loaded> {
  const client = new HttpClient(url);
  const times: number[] = [];
  let failures = 0;
  let firstProblem: string | undefined;
  const start = performance.now();
  const loops = Array.from({ length: connections }, async (_, connection) => {
    while (performance.now() < start + seconds * 1_000) {
      const request = next(connection);
      const sent = performance.now();
      const problem = await problemOf(client, request);
      if (problem === undefined) {
        times.push(performance.now() - sent);
      } else {
        failures += 1;
        firstProblem ??= `${request.method} ${request.path} ${problem}`;
      }
    }
  });
  await Promise.all(loops);
  client.close();
  const elapsed = performance.now() - start;
  return { times, failures, elapsed, ...(firstProblem === undefined ? {} : { firstProblem }) };
}

async function problemOf(client: HttpClient, request: HttpRequest): Promise<string | undefined> {
  try {
    const { status, body } = await client.ask(request);
    const isSuccess = status >= 200 && status < 300;
    return isSuccess ? undefined : `returned ${status}: ${body.toString('utf8', 0, 300)}`;
  } catch (error) {
    return `failed: ${error}`;
  }
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
