// What the local host itself costs: the lower bound for every request, memory, and CPU time while idle.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loggedIn } from './api.ts';
import { budgets, conclude } from './budgets.ts';
import { median, summaryOf } from './figures.ts';
import { mixedRequests } from './host-mix.ts';
import { type Load, type Loaded, load } from './http-load.ts';
import { startBareServer, startHost } from './local-host.ts';
import { numberFrom, wholeNumberFrom } from './options.ts';
import { memoryOf, pidsOf, processorShare, processorTimeOf } from './processes.ts';
import { figure, textTable } from './table.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '60' } },
});
const rounds = wholeNumberFrom(1, '--rounds', values.rounds);
const mixSeconds = numberFrom(1, '--seconds', values.seconds);
if (process.platform !== 'linux') {
  throw new Error('Only Linux says what a process and its children take of memory and CPU.');
}

const connections = 16;
const health = { method: 'GET', path: '/api/health' };

const folder = await mkdtemp(join(tmpdir(), 'switchboard-host-'));
const { url, pid, ...host } = await startHost(join(folder, 'data'));
const bare = await startBareServer();
try {
  await pause(5_000); // The first run of every schedule.
  const startMemory = memoryOf(pidsOf(pid));
  const idle = await processorShare(pid, 10);

  const bares: number[] = [];
  const healths: number[] = [];
  const cpus: number[] = [];
  await healthChecks(url, 3); // Warm.
  for (let round = 0; round < rounds; round += 1) {
    bares.push(summaryOf(await healthChecks(bare.url, 2)).requestsPerSecond);
    const before = processorTimeOf(pidsOf(pid));
    const checks = await healthChecks(url, 4);
    healths.push(summaryOf(checks).requestsPerSecond);
    cpus.push((processorTimeOf(pidsOf(pid)) - before) / checks.times.length);
  }

  let most = 0;
  const sampling = setInterval(() => {
    most = Math.max(most, memoryOf(pidsOf(pid)));
  }, 500);
  const next = mixedRequests((await loggedIn(url)).token);
  const mixed = await successful(url, { connections, seconds: mixSeconds, next });
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
memory under mixed load        ${figure(most)} MB at most, ${figure(summaryOf(mixed).requestsPerSecond)} requests a second of 20 operations
CPU while idle                 ${figure(idle, 1)} ms a second`);
  const { health: promised, memory, idleMilliseconds } = budgets.host;
  conclude([
    {
      promise: `${figure(promised)} health checks a second`,
      measured: figure(median(healths)),
      kept: median(healths) >= promised,
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
