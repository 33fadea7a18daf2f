// What the local host itself takes of a machine: the floor below every request, memory and idle CPU.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { budgets, conclude } from './budgets.ts';
import { median } from './figures.ts';
import { mixedRequests } from './host-mix.ts';
import { type Answered, load, requestText } from './http-load.ts';
import { ended, ready } from './local-host.ts';
import { usageOf } from './process-tree.ts';
import { figure, textTable } from './table.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '60' } },
});
const rounds = Number(values.rounds);
const mixSeconds = Number(values.seconds);
if (!(rounds >= 1) || !(mixSeconds >= 1)) {
  throw new Error('--rounds and --seconds must be numbers from 1, like --rounds 5 --seconds 60');
}
if (process.platform !== 'linux') {
  throw new Error('Only Linux says what a process and its children take of memory and CPU.');
}

const connections = 16;
const health = requestText('GET /api/health');

const folder = await mkdtemp(join(tmpdir(), 'switchboard-host-'));
const { host, url } = await ready(join(folder, 'data'));
const bare = await bareServer();
try {
  const pid = host.pid as number;
  await pause(5_000); // The first run of every schedule.
  const started = usageOf(pid);
  await pause(10_000);
  const idle = (usageOf(pid).cpuMilliseconds - started.cpuMilliseconds) / 10;

  const bares: number[] = [];
  const healths: number[] = [];
  const cpus: number[] = [];
  await measured(url, 3); // Warm.
  for (let round = 0; round < rounds; round += 1) {
    bares.push((await measured(bare.url, 2)).perSecond);
    const before = usageOf(pid).cpuMilliseconds;
    const { perSecond, count } = await measured(url, 4);
    healths.push(perSecond);
    cpus.push((usageOf(pid).cpuMilliseconds - before) / count);
  }

  let most = 0;
  const sampling = setInterval(() => {
    most = Math.max(most, usageOf(pid).megabytes);
  }, 500);
  const mixed = await load(url, { connections, seconds: mixSeconds, next: mixedRequests(await token()) });
  clearInterval(sampling);
  requireSuccess(mixed);

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
memory after the start         ${figure(started.megabytes)} MB
memory under mixed load        ${figure(most)} MB at most, ${figure(mixed.perSecond)} requests a second of 20 operations
CPU while idle                 ${figure(idle, 1)} ms a second`);
  const { health: promised, memory, idleMilliseconds } = budgets.host;
  conclude([
    {
      promise: `${figure(promised)} health checks a second`,
      measured: figure(median(healths)),
      kept: median(healths) >= promised,
    },
    memoryVerdict('after the start', started.megabytes, memory.started),
    memoryVerdict('under load', most, memory.loaded),
    {
      promise: `at most ${idleMilliseconds} ms of CPU a second while idle`,
      measured: figure(idle, 1),
      kept: idle <= idleMilliseconds,
    },
  ]);
} finally {
  bare.stop();
  await ended(host);
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

async function measured(at: string, seconds: number): Promise<Answered & { count: number }> {
  const answered = await load(at, { connections, seconds, next: () => health });
  requireSuccess(answered);
  return { ...answered, count: Iterator.from(answered.statuses.values()).reduce((sum, n) => sum + n, 0) };
}

function requireSuccess({ statuses }: Answered): void {
  const failed = [...statuses].filter(([status]) => status >= 300);
  if (failed.length > 0) {
    throw new Error(
      `Not every request succeeded: ${failed.map(([status, n]) => `${n} × ${status}`).join(', ')}`,
    );
  }
}

async function bareServer(): Promise<{ url: string; stop(): void }> {
  const script = fileURLToPath(new URL('./bare-server.mjs', import.meta.url));
  const server = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: server.stdout })) {
    return { url: line.replace('ready ', ''), stop: () => server.kill() };
  }
  throw new Error('The bare server ended before it was ready');
}

async function token(): Promise<string> {
  const body = JSON.stringify({ email: 'admin@example.com', password: 'switchboard-demo' });
  const response = await fetch(`${url}/api/auth/login`, { method: 'POST', body });
  return ((await response.json()) as { token: string }).token;
}
