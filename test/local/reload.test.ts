import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import { eventually } from './fixture/running.ts';

/** A copy of the project, since its sources are edited here. */
let project: string;
let running: Running;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'reload-'));
  for (const name of ['functions', 'shared', 'infra', 'package.json', 'package-lock.json']) {
    await cp(join(projectRoot, name), join(project, name), { recursive: true });
  }
  await symlink(join(projectRoot, 'node_modules'), join(project, 'node_modules'));
  running = await start();
});
afterAll(async () => {
  await running.stop();
  await rm(project, { recursive: true, force: true });
});

interface Running {
  url: string;
  /** What the program has printed. */
  lines: string[];
  stop(): Promise<void>;
}

async function start(): Promise<Running> {
  const program: ChildProcess = spawn(process.execPath, ['infra/local/main.ts'], {
    cwd: project,
    env: { ...process.env, PORT: '0', DATA_DIR: join(project, 'data'), SEED: 'none' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  if (!program.stdout) throw new Error('The program has no output.');
  createInterface({ input: program.stdout }).on('line', (line) => lines.push(line));
  const ended = once(program, 'exit');
  const url = await Promise.race([
    eventually(() => lines.map((line) => /^ready (http:\S+)$/.exec(line)?.[1]).find(Boolean), 120),
    ended.then(() => Promise.reject(new Error(`The program ended:\n${lines.join('\n')}`))),
  ]);
  return {
    url,
    lines,
    async stop() {
      program.kill('SIGTERM');
      await ended;
    },
  };
}

async function edit(file: string, from: string, to: string): Promise<void> {
  const path = join(project, file);
  const source = await readFile(path, 'utf8');
  expect(source).toContain(from);
  await writeFile(path, source.replace(from, to));
}

const health = 'functions/system/check-health.ts';
const get = async (path: string) => {
  const response = await fetch(`${running.url}${path}`);
  return { status: response.status, text: await response.text() };
};
const said = (pattern: RegExp) => running.lines.some((line) => pattern.test(line));

test('an edit of a rule is answered without a restart, and the log says so', async () => {
  await edit(
    health,
    "async () => ({ status: 'ok' as const })",
    "async () => ({ status: 'ok' as const, edited: true })",
  );
  await edit(health, "z.strictObject({ status: z.literal('ok') })", 'z.looseObject({})');
  await eventually(async () => (await get('/api/health')).text.includes('edited'), 60);
  await eventually(() => said(/Reloaded in \d+ ms\. Types are not checked here/));
  expect(running.lines.join()).toContain('Reloading');
});

test('an edit of what operations share is answered too', async () => {
  await edit('shared/kernel/failure.ts', "title: 'Not found'", "title: 'Nowhere'");
  await edit('functions/system/answer-unknown-route.ts', 'does not exist.', 'Truly does not exist.');
  await eventually(async () => (await get('/api/nothing')).text.includes('Truly'), 60);
});

test('a changed route is found where it is now, and in the documentation', async () => {
  await edit(health, "'GET /api/health'", "'GET /api/healthy'");
  await eventually(async () => (await get('/api/healthy')).status === 200, 60);
  expect((await get('/api/health')).status).toBe(404);
  await eventually(async () => '/api/healthy' in JSON.parse((await get('/api/openapi.json')).text).paths, 60);
  await edit(health, "'GET /api/healthy'", "'GET /api/health'");
  await eventually(async () => (await get('/api/health')).status === 200, 60);
});

test('a mistake is told by file and line, and the former version goes on until it is mended', async () => {
  await edit(health, 'uses: {},', 'uses: {,');
  await eventually(() => said(/^functions\/system\/check-health\.ts:\d+:\d+: ERROR: /), 60);
  await eventually(() => said(/The former version goes on/));
  expect((await get('/api/health')).status).toBe(200);
  await edit(health, 'uses: {,', 'uses: {},');
});

test('the stack of a defect names the line of the source', async () => {
  await edit(health, 'async () => (', 'async () => boom(');
  await edit(
    health,
    'export default',
    "function boom(_: object): never {\n  throw new Error('boom');\n}\n\nexport default",
  );
  await eventually(async () => (await get('/api/health')).status === 500, 60);
  const lines = (await readFile(join(project, health), 'utf8')).split('\n');
  const line = lines.findIndex((text) => text.includes('throw')) + 1;
  await eventually(() => said(new RegExp(`check-health\\.ts:${line}:\\d+`)));
});

test('started again without an edit, nothing is built; after one made meanwhile, what it touches is', async () => {
  await edit(health, "throw new Error('boom')", "return { status: 'ok' } as never");
  const edited = (await stat(join(project, health))).mtimeMs;
  const build = join(project, 'data/build/build.json');
  await eventually(async () => (await stat(build)).mtimeMs > edited, 60);
  await running.stop();
  running = await start();
  expect(running.lines.join('\n')).not.toContain('Building');
  await running.stop();
  await edit('functions/system/answer-unknown-route.ts', 'Truly', 'Really');
  running = await start();
  expect(running.lines.join('\n')).toContain('Building');
  expect((await get('/api/nothing')).text).toContain('Really');
});
