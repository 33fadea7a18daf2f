import { setTimeout as pause } from 'node:timers/promises';
import { type Summary, summarize } from '../figures.ts';
import type { HttpRequest } from '../http-client.ts';
import { load } from '../http-load.ts';
import { memoryFor, processorTimeFor } from '../processes.ts';
import type { Contestant, Served } from './contestant.ts';
import type { Work } from './requests.ts';

/** The price of one work for one contestant. */
export interface Measured {
  readonly work: Work;
  readonly contestant: string;
  readonly connections: number;
  readonly summary: Summary;
  /** Milliseconds of processor time for each request. */
  readonly cpu: { readonly server: number; readonly database: number };
  /** The share of a core that this process took, which sends the requests. */
  readonly clientShare: number;
  /** MB of memory at the end. */
  readonly memory: { readonly server: number; readonly database: number };
  readonly firstProblem: string | undefined;
}

/** Measures after a fifth of the time, in which processes compile the code that runs often. */
export async function measure(
  contestant: Contestant,
  work: Work,
  request: () => HttpRequest,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<Measured> {
  const { tokens } = contestant;
  const next = (connection: number): HttpRequest => {
    const token = tokens[connection % tokens.length];
    return { ...request(), ...(token === undefined ? {} : { token }) };
  };
  const url = contestant.url();
  await load(url, { connections, seconds: Math.max(1, seconds / 5), next });
  const served = contestant.processes();
  const [before, own] = [cpuOf(served), process.cpuUsage()];
  const { firstProblem, ...samples } = await load(url, { connections, seconds, next });
  const [after, { user, system }] = [cpuOf(served), process.cpuUsage(own)];
  const requests = samples.times.length;
  return {
    ...{ work, contestant: contestant.name, connections, firstProblem },
    summary: summarize(samples),
    cpu: {
      server: (after.server - before.server) / requests,
      database: (after.database - before.database) / requests,
    },
    clientShare: (user + system) / 1_000 / samples.elapsed,
    memory: { server: memoryFor(served.server), database: memoryFor(served.database) },
  };
}

function cpuOf({ server, database }: Served) {
  return { server: processorTimeFor(server), database: processorTimeFor(database) };
}

/** Waits until the contestant is idle, for instance has read its stream; at most ten minutes. */
export async function settle(contestant: Contestant): Promise<void> {
  const { server, database } = contestant.processes();
  const pids = [...server, ...database];
  const end = performance.now() + 600_000;
  for (let idle = 0; idle < 2 && performance.now() < end; ) {
    const before = processorTimeFor(pids);
    await pause(500);
    idle = processorTimeFor(pids) - before <= idleMilliseconds ? idle + 1 : 0;
  }
}

/** The processor time in half a second up to which processes count as idle. */
const idleMilliseconds = 50;
