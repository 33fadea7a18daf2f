// What the local host itself costs: the lower bound for every request, memory, and CPU time while idle.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loggedIn } from './api.ts';
import { budgets, conclude } from './budgets.ts';
import { median, summarize } from './figures.ts';
import { allKinds, mixedRequests } from './host-mix.ts';
import { type Load, type Loaded, load } from './http-load.ts';
import { startBareServer, startHost } from './local-host.ts';
import { numberFrom, wholeNumberFrom } from './options.ts';
import { memoryFor, processIds, processorShare, processorTimeFor } from './processes.ts';
import { figure, textTable } from './table.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '30' } },
});
const rounds = wholeNumberFrom(1, '--rounds', values.rounds);
const mixSeconds = numberFrom(1, '--seconds', values.seconds);
if (process.platform !== 'linux') {
  throw new Error('Only Linux says what a process and its children take of memory and CPU.');
}

const connections = 16;
const fewKinds = 4;
const health = { method: 'GET', path: '/api/health' };

const folder = await mkdtemp(join(tmpdir(), 'switchboard-host-'));
const { url, pid, ...host } = await startHost(join(folder, 'data'));
const bare = await startBareServer();
try {
  await pause(5_000); // The first run of every schedule.
  const startMemory = memoryFor(processIds(pid));
  const idle = await processorShare(pid, 10);

  const bares: number[] = [];
  const healths: number[] = [];
  const cpus: number[] = [];
  await healthChecks(url, 3); // Warm.
  for (let round = 0; round < rounds; round += 1) {
    bares.push(summarize(await healthChecks(bare.url, 2)).requestsPerSecond);
    const before = processorTimeFor(processIds(pid));
    const checks = await healthChecks(url, 4);
    healths.push(summarize(checks).requestsPerSecond);
    cpus.push((processorTimeFor(processIds(pid)) - before) / checks.times.length);
  }

  let most = 0;
  const sampling = setInterval(() => {
    most = Math.max(most, memoryFor(processIds(pid)));
  }, 500);
  const { token } = await loggedIn(url);
  const few = await mixedLoad(token, fewKinds);
  const all = await mixedLoad(token, allKinds);
  clearInterval(sampling);

  const ratio = median(healths.map((perSecond, round) => perSecond / (bares[round] as number)));
  console.log(`The local host with its demo data; host and database together. Ratio: to a server of node:http that answers the same bytes,
in turns, ${connections} connections each.\n`);
  console.log(
    textTable(
      ['', 'median', 'lowest', 'highest'],
      [
        ['bare server, requests a second', ...spread(bares)],
        ['health check, requests a second', ...spread(healths)],
        ['health check, CPU of a request in µs', ...spread(cpus.map((ms) => ms * 1_000))],
      ],
    ),
  );
  console.log(`
health check to bare server    ${figure(ratio, 2)}
memory after the start         ${figure(startMemory)} MB
${String(fewKinds).padStart(2)} kinds of operations         ${mixText(few)}
${allKinds} kinds of operations         ${mixText(all)}
memory under mixed load        ${figure(most)} MB at most
CPU while idle                 ${figure(idle, 1)} ms a second`);
  const { health: promised, memory, idleMilliseconds, kindsRatio } = budgets.host;
  conclude([
    {
      promise: `${figure(promised)} health checks a second`,
      measured: figure(median(healths)),
      kept: median(healths) >= promised,
    },
    {
      promise: `${allKinds} kinds of operations at ${kindsRatio} of the rate of ${fewKinds}`,
      measured: figure(all.perSecond / few.perSecond, 2),
      kept: all.perSecond >= kindsRatio * few.perSecond,
    },
    memoryVerdict('after the start', startMemory, memory.started),
    memoryVerdict('under load', most, memory.loaded),
    {
      promise: `at most ${idleMilliseconds} ms of CPU a second while idle`,
      measured: figure(idle, 1),
      kept: idle <= idleMilliseconds,
    },
  ]);
} finally {
  await bare.stop();
  await host.stop();
  await rm(folder, { recursive: true, force: true });
}

interface Mixed {
  readonly perSecond: number;
  /** Milliseconds of CPU of a request. */
  readonly cpu: number;
}

/** The load of so many kinds of operations, once each function has been loaded. */
async function mixedLoad(token: string, kinds: number): Promise<Mixed> {
  const next = mixedRequests(token, kinds);
  await successful(url, { connections, seconds: mixSeconds / 4, next });
  const before = processorTimeFor(processIds(pid));
  const mixed = await successful(url, { connections, seconds: mixSeconds, next });
  const cpu = (processorTimeFor(processIds(pid)) - before) / mixed.times.length;
  return { perSecond: summarize(mixed).requestsPerSecond, cpu };
}

function mixText({ perSecond, cpu }: Mixed): string {
  return `${figure(perSecond)} requests a second, ${figure(cpu, 1)} ms of CPU each`;
}

function memoryVerdict(when: string, megabytes: number, most: number) {
  return {
    promise: `at most ${figure(most)} MB ${when}`,
    measured: `${figure(megabytes)} MB`,
    kept: megabytes <= most,
  };
}

function spread(samples: readonly number[]): string[] {
  return [median(samples), Math.min(...samples), Math.max(...samples)].map((sample) => figure(sample));
}

function healthChecks(at: string, seconds: number): Promise<Loaded> {
  return successful(at, { connections, seconds, next: () => health });
}

async function successful(at: string, wanted: Load): Promise<Loaded> {
  const loaded = await load(at, wanted);
  if (loaded.failures > 0) {
    throw new Error(`${loaded.failures} requests failed: ${loaded.firstProblem}`);
  }
  return loaded;
}
