import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
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
async function complaint(more: Record<string, string>): Promise<string> {
  const program = spawn(process.execPath, ['infra/local/main.ts'], {
    cwd: projectRoot,
    env: environment(more),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [code]] = await Promise.all([text(program.stderr), once(program, 'exit')]);
  expect(code).toBe(1);
  return said.trim();
}

const isDown = (url: string) =>
  fetch(url).then(
    () => false,
    () => true,
  );

test('npm run dev is ready with its demo data, keeps its data directory to itself, and ends with npm', async () => {
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
    expect(await complaint({ DATA_DIR: ownDir })).toMatch(
      /^The data directory \S+ is in use by process \d+: stop that, or choose another with DATA_DIR=\.$/,
    );

    npm.kill('SIGTERM');
    await eventually(() => isDown(url));
    await eventually(async () => !(await readdir(ownDir)).includes('host.json'));
  } finally {
    npm.kill('SIGTERM');
    await ended;
  }
});

test('a port that is no number is refused at once', async () => {
  expect(await complaint({ PORT: 'http' })).toBe(
    'PORT=http is not a port: it must be a number from 0 to 65535, 0 for any free one.',
  );
});

test('a data directory of another version is refused at once, in one sentence', async () => {
  const ownDir = join(dataDir, randomUUID());
  await mkdir(ownDir);
  await writeFile(join(ownDir, 'switchboard.json'), '{"version":0}');
  expect(await complaint({ DATA_DIR: ownDir })).toBe(
    `The data directory ${ownDir} was made by another version of Switchboard: start with --fresh, or choose another data directory with DATA_DIR=.`,
  );
});
