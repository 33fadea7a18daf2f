import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { call } from '../api.ts';
import { joined, type Samples, type Summary, summaryOf } from '../figures.ts';
import { memoryOf, processorTimeOf } from '../processes.ts';
import type { Driven } from './client.ts';
import type { Contestant, Served } from './contestant.ts';
import type { Driver } from './driver.ts';
import type { RacingOrganization } from './organizations.ts';
import type { Workload } from './workloads.ts';

/** What one workload cost one contestant. */
export interface Measured {
  readonly work: Workload;
  readonly contestant: string;
  readonly connections: number;
  readonly summary: Summary;
  /** Milliseconds of processor time for each request. */
  readonly cpu: { readonly server: number; readonly database: number };
  /** The share of a core that the client took. */
  readonly clientShare: number;
  /** MB of memory at the end. */
  readonly memory: { readonly server: number; readonly database: number };
  readonly firstProblem: string | undefined;
}

export interface Course {
  readonly driver: Driver;
  /** The organization that has the contacts. */
  readonly organization: RacingOrganization;
  readonly seconds: number;
}

/** The name under which requests go to the organization without contacts. */
export const emptyOf = (contestant: string) => `${contestant}, empty`;

export async function measure(
  course: Course,
  contestant: Contestant,
  work: Workload,
  connections: number,
): Promise<Measured> {
  const meter = new Meter(contestant);
  switch (work.cold) {
    case 'renamed':
      await afterRenaming(course, contestant, work, meter, connections);
      break;
    case 'restarted':
      await afterRestarting(course, contestant, work, meter);
      break;
    default:
      await warm(course, contestant, work, meter, connections);
  }
  return meter.measured(work, connections);
}

/** A fifth of the time, which is not measured: meanwhile processes compile the code that runs often. */
async function warm(
  { driver, seconds }: Course,
  contestant: Contestant,
  { kind, beside, isBeforeLoad }: Workload,
  meter: Meter,
  connections: number,
): Promise<void> {
  const to = isBeforeLoad ? emptyOf(contestant.name) : contestant.name;
  const wanted = { url: contestant.url(), kind, connections, ...(beside && { beside }) };
  await driver.drive(to, { ...wanted, seconds: Math.max(1, seconds / 5) });
  await meter.during(() => driver.drive(to, { ...wanted, seconds }));
}

/**
 * Renames all stages, then reads one board at a time on each core, again and again. Every card shows the name of its stage, so that no
 * process can use what it has cached of the board. With one connection, one board at a time.
 */
async function afterRenaming(
  { driver, organization, seconds }: Course,
  contestant: Contestant,
  { kind }: Workload,
  meter: Meter,
  connections: number,
): Promise<void> {
  const url = contestant.url();
  const rename = async (suffix: string) => {
    const stages = organization.stages.map(({ _id, name }) => ({ _id, name: `${name}${suffix}` }));
    const path = `/api/pipelines/${organization.pipelineId}`;
    await call(url, { method: 'PUT', path, body: { stages } }, contestant.tokens.full);
    await pause(settlingMilliseconds);
  };
  const width = Math.min(connections, availableParallelism());
  const once = { connections: width, most: width, seconds: 60 };
  await driver.drive(contestant.name, { url, kind, connections: width, seconds: 1 });
  const end = performance.now() + seconds * 1_000;
  for (let round = 1; performance.now() < end; round += 1) {
    const suffix = ` (${round})`;
    await rename(suffix);
    await meter.during(() => driver.drive(contestant.name, { ...once, url, kind, containing: `${suffix}"` }));
  }
  await rename('');
}

/** Time for the consequences of a change, such as its event, which are not measured. */
const settlingMilliseconds = 30;

/** Restarts everything, warms up the code with an organization without contacts, then sends one request. */
async function afterRestarting(
  { driver }: Course,
  contestant: Contestant,
  { kind }: Workload,
  meter: Meter,
): Promise<void> {
  for (let round = 0; round < restarts; round += 1) {
    await contestant.restart();
    const url = contestant.url();
    await driver.drive(emptyOf(contestant.name), { url, kind, connections: 4, seconds: 2 });
    await settled(contestant);
    await meter.during(() =>
      driver.drive(contestant.name, { url, kind, connections: 1, most: 1, seconds: 60 }),
    );
  }
}

const restarts = 5;

/** Waits until the contestant is idle, for instance has read its stream; at most ten minutes. */
export async function settled(contestant: Contestant): Promise<void> {
  const { server, database } = contestant.processes();
  const pids = [...server, ...database];
  const end = performance.now() + 600_000;
  for (let idle = 0; idle < 2 && performance.now() < end; ) {
    const before = processorTimeOf(pids);
    await pause(500);
    idle = processorTimeOf(pids) - before <= idleMilliseconds ? idle + 1 : 0;
  }
}

/** The processor time in half a second up to which processes count as idle. */
const idleMilliseconds = 50;

/** Adds up what one workload costs a contestant. */
class Meter {
  readonly #contestant: Contestant;
  readonly #samples: Samples[] = [];
  #cpu = { server: 0, database: 0, client: 0 };
  #firstProblem: string | undefined;

  constructor(contestant: Contestant) {
    this.#contestant = contestant;
  }

  async during(work: () => Promise<Driven>): Promise<void> {
    const served = this.#contestant.processes();
    const before = cpuOf(served);
    const driven = await work();
    const after = cpuOf(served);
    this.#samples.push(driven);
    this.#firstProblem ??= driven.firstProblem;
    this.#cpu = {
      server: this.#cpu.server + after.server - before.server,
      database: this.#cpu.database + after.database - before.database,
      client: this.#cpu.client + driven.clientCpu,
    };
  }

  measured(work: Workload, connections: number): Measured {
    const samples = joined(this.#samples);
    const served = this.#contestant.processes();
    const requests = samples.times.length;
    return {
      work,
      contestant: this.#contestant.name,
      connections,
      summary: summaryOf(samples),
      cpu: { server: this.#cpu.server / requests, database: this.#cpu.database / requests },
      clientShare: this.#cpu.client / samples.elapsed,
      memory: { server: memoryOf(served.server), database: memoryOf(served.database) },
      firstProblem: this.#firstProblem,
    };
  }
}

function cpuOf({ server, database }: Served) {
  return { server: processorTimeOf(server), database: processorTimeOf(database) };
}
