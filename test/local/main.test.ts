import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import { eventually } from '../harness/eventually.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'main-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const environment = (more: Record<string, string> = {}) => ({
  ...process.env,
  DATA_DIR: dataDir,
  BUILD_DIR: join(dataDir, 'build'),
  PORT: '0',
  ...more,
});

/** Starts the program and resolves with its address once it is ready. */
async function ready(program: ChildProcess): Promise<string> {
  const { stdout } = program;
  if (!stdout) {
    throw new Error('The program has no output.');
  }
  for await (const line of createInterface({ input: stdout })) {
    const [, url] = /^ready (http:\S+)$/.exec(line) ?? [];
    if (url === undefined) {
      continue;
    }
    stdout.resume(); // A full pipe would block the program.
    return url;
  }
  throw new Error('The program ended before it was ready.');
}

/** What the program prints as an error, after it has ended with one. */
async function errorOf(more: Record<string, string>): Promise<string> {
  const program = spawn(process.execPath, ['infra/local/main.ts'], {
    cwd: projectRoot,
    env: environment(more),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [code]] = await Promise.all([text(program.stderr), once(program, 'exit')]);
  expect(code).toBe(1);
  return said.trim();
}

/** What others on the machine can look into, the directory itself included. */
async function openToOthers(directory: string): Promise<string[]> {
  const names = ['', ...(await readdir(directory, { recursive: true }))];
  const modes = await Promise.all(
    // What is written to a draft first is gone by now.
    names.map(async (name) => ({
      name,
      mode: (await stat(join(directory, name)).catch(() => undefined))?.mode ?? 0,
    })),
  );
  return modes.filter(({ mode }) => (mode & 0o077) !== 0).map(({ name }) => name);
}

/** The process of the database over this directory. */
function databaseOn(directory: string): number {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  const line = stdout.split('\n').find((one) => one.includes(directory) && !one.includes('sh -c'));
  return Number.parseInt(line ?? '', 10);
}

const isDown = (url: string) =>
  fetch(url).then(
    () => false,
    () => true,
  );

test('`npm run dev` is ready with its demo data, keeps its data directory to itself, and ends with npm, or when its database is lost', async () => {
  const ownDir = join(dataDir, randomUUID());
  const npm = spawn('npm', ['run', 'dev'], {
    cwd: projectRoot,
    env: environment({ DATA_DIR: ownDir, SEED: 'demo' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(npm, 'exit');
  try {
    const url = await ready(npm);
    const health = await fetch(`${url}/api/health`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
    const body = JSON.stringify({ email: 'admin@example.com', password: 'switchboard-demo' });
    expect((await fetch(`${url}/api/auth/login`, { method: 'POST', body })).status).toBe(200);
    expect(await openToOthers(ownDir)).toEqual([]);
    expect(await errorOf({ DATA_DIR: ownDir })).toMatch(
      /^The data directory \S+ is in use by process \d+: stop it, or choose another directory with DATA_DIR=\.$/,
    );

    npm.kill('SIGTERM');
    await eventually(() => isDown(url));
    await eventually(async () => !(await readdir(ownDir)).includes('host.json'));
  } finally {
    npm.kill('SIGTERM');
    await ended;
  }

  // The same directory once more: it is built and has its data.
  const program = spawn(process.execPath, ['infra/local/main.ts'], {
    cwd: projectRoot,
    env: environment({ DATA_DIR: ownDir }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const over = once(program, 'exit');
  const said = text(program.stderr);
  await ready(program);
  process.kill(databaseOn(ownDir), 'SIGKILL');
  expect(await over).toEqual([1, null]);
  expect(await said).toBe('The database ended. Its data is kept: start again.\n');
});

test('A port that is not a number is refused at once', async () => {
  expect(await errorOf({ PORT: 'http' })).toBe(
    'PORT=http is not a port: it must be a number from 0 to 65535, 0 for any free one.',
  );
});

test('A data directory of another version is refused at once, in one sentence', async () => {
  const ownDir = join(dataDir, randomUUID());
  await mkdir(ownDir);
  await writeFile(join(ownDir, 'switchboard.json'), '{"version":0}');
  expect(await errorOf({ DATA_DIR: ownDir })).toBe(
    `The data directory ${ownDir} was written by another version of Switchboard: start with --fresh, or choose another data directory with DATA_DIR=.`,
  );
});
