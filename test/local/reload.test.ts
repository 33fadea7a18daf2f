import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readBuild } from '../../infra/local/build/state.ts';
import { projectRoot } from '../../infra/project.ts';
import { hashesOfSources } from '../../infra/sources.ts';
import { eventually } from '../harness/eventually.ts';
import { firstBuild } from '../harness/first-build.ts';

/** A copy of the project, since its sources are edited here. What is built of it is built already: this is about what follows. */
let project: string;
let running: Running;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'reload-'));
  for (const name of ['functions', 'shared', 'infra', 'package.json', 'package-lock.json', 'cdk.json']) {
    await cp(join(projectRoot, name), join(project, name), { recursive: true });
  }
  // Who follows README.md has them already.
  for (const { file } of await addedFiles()) {
    await rm(join(project, file), { force: true });
  }
  await mkdir(join(project, 'test'));
  for (const packages of ['node_modules', 'test/node_modules']) {
    await symlink(join(projectRoot, packages), join(project, packages));
  }
  await cp(await firstBuild(), join(project, 'build'), { recursive: true });
  running = await start();
});
afterAll(async () => {
  await running.stop();
  await rm(project, { recursive: true, force: true });
});

beforeEach(({ onTestFailed }) => {
  onTestFailed(() => console.error(running.lines.filter((line) => !/ (GET|POST) /.test(line)).join('\n')));
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
    env: {
      ...process.env,
      PORT: '0',
      DATA_DIR: join(project, 'data'),
      BUILD_DIR: join(project, 'build'),
      SEED: 'none',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  if (!program.stdout) {
    throw new Error('The program has no output.');
  }
  createInterface({ input: program.stdout }).on('line', (line) => lines.push(line));
  const ended = once(program, 'exit');
  const url = await Promise.race([
    eventually(() => lines.map((line) => /^ready (http:\S+)$/.exec(line)?.[1]).find(Boolean)),
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
  await writeFile(path, source.replaceAll(from, to));
}

const health = 'functions/system/check-health.ts';
const get = async (path: string) => {
  const response = await fetch(`${running.url}${path}`);
  return { status: response.status, text: await response.text() };
};
const person = { email: 'ada@example.com', password: 'correct horse', firstName: 'Ada', lastName: 'Byron' };
/** What is said to whom nobody lets in. */
async function refusedRegistration(): Promise<string> {
  const elsewhere = { ...person, email: 'grace@example.com', organizationId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };
  const register = { method: 'POST', body: JSON.stringify(elsewhere) };
  return (await fetch(`${running.url}/api/auth/register`, register)).text();
}
const said = (pattern: RegExp) => running.lines.some((line) => pattern.test(line));

test('An edit of a rule takes effect without a restart, and the log says so', async () => {
  await edit(health, "'ok'", "'fine'");
  await eventually(async () => (await get('/api/health')).text === '{"status":"fine"}');
  await eventually(() => said(/Reloaded in \d+ ms\. Types are not checked here/));
  expect(running.lines.join()).toContain('Reloading');
});

test('An edit of a file that operations share takes effect, too', async () => {
  await edit('functions/auth/model/registration.ts', 'is not open for', 'is surely not open for');
  await eventually(async () => (await refusedRegistration()).includes('surely'));
});

test('A changed route is found where it is now, and in the documentation', async () => {
  await edit(health, "'GET /api/health'", "'GET /api/healthy'");
  await eventually(async () => (await get('/api/healthy')).status === 200);
  expect((await get('/api/health')).status).toBe(404);
  await eventually(async () => '/api/healthy' in JSON.parse((await get('/api/openapi.json')).text).paths);
  // Nobody waits for what is edited back: what is edited next is built with it.
  await edit(health, "'GET /api/healthy'", "'GET /api/health'");
});

test('The operation that README.md adds compiles as printed, works, and has its row of tests', async () => {
  const blocks = await addedFiles();
  expect(blocks.map(({ file }) => file)).toEqual([
    'functions/contacts/read-contact-name.ts',
    'test/operations/read-contact-name.ts',
  ]);
  for (const { file, code } of blocks) {
    await mkdir(join(project, dirname(file)), { recursive: true });
    await writeFile(join(project, file), code);
  }
  await eventually(async () => (await get('/api/contacts/1/name')).text === '{"message":"Unauthorized"}');
  expect(JSON.parse((await get('/api/openapi.json')).text)).toBeDefined();
  expect((await get('/api/health')).status).toBe(200);
  expect((await get('/api/healthy')).status).toBe(404);

  const token = await registered();
  const headers = { authorization: `Bearer ${token}` };
  const body = JSON.stringify({ firstName: 'Ada', lastName: 'Lovelace' });
  const created = await fetch(`${running.url}/api/contacts/create`, { method: 'POST', headers, body });
  const { data } = (await created.json()) as { data: { _id: string } };
  const named = await fetch(`${running.url}/api/contacts/${data._id}/name`, { headers });
  expect(await named.json()).toEqual({ fullName: 'Ada Lovelace' });

  const filter = (path: string) => !path.includes('node_modules', projectRoot.length);
  await cp(join(projectRoot, 'test'), join(project, 'test'), { recursive: true, filter });
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      extends: join(projectRoot, 'tsconfig.json'),
      include: ['shared/ports/port-types.ts'], // Nobody imports what it declares for all.
      files: blocks.map(({ file }) => file),
    }),
  );
  const compiler = join(projectRoot, 'test/node_modules/typescript/bin/tsc');
  // For so few files several threads would each check the same types anew.
  const options = ['-p', project, '--singleThreaded'];
  const { stdout, status } = spawnSync(process.execPath, [compiler, ...options], { encoding: 'utf8' });
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
});

/** Signs up the first user of an organization; answers their access token. */
async function registered(): Promise<string> {
  const response = await fetch(`${running.url}/api/auth/register`, {
    method: 'POST',
    body: JSON.stringify(person),
  });
  return ((await response.json()) as { token: string }).token;
}

/** The files that README.md has one add, each named in the text before its code. */
async function addedFiles(): Promise<{ file: string; code: string }[]> {
  const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((part) => part.startsWith('Adding an operation')) ?? '';
  return [...section.matchAll(/`((?:functions|test)\/\S+\.ts)`[^`]*```ts\n(.*?)^```$/gms)].map(
    ([, file = '', code = '']) => ({ file, code }),
  );
}

test('A mistake is reported with file and line, and the former version runs on until it is fixed', async () => {
  await edit(health, 'uses: {},', 'uses: {,');
  await eventually(() => said(/^functions\/system\/check-health\.ts:\d+:\d+: ERROR: /));
  await eventually(() => said(/The previous version keeps running/));
  expect((await get('/api/health')).status).toBe(200);
  await edit(health, 'uses: {,', 'uses: {},');
});

test('A mistake that only the documentation notices is reported, and the next edit takes effect all the same', async () => {
  await edit(health, "{ status: 'Always", "{ statuz: 'Always");
  await eventually(() =>
    said(/ functions\/system\/check-health\.ts: "statuz" has a description, but is not a field of/),
  );
  await eventually(() => said(/The documentation stays as it was/));
  await edit(health, "'fine'", "'finer'");
  await eventually(async () => (await get('/api/health')).text === '{"status":"finer"}');
  await edit(health, "{ statuz: 'Always", "{ status: 'Always");
});

test('The stack of a defect names the line of the source', async () => {
  await edit(health, 'async () => (', 'async () => boom(');
  await edit(
    health,
    'export default',
    "function boom(_: object): never {\n  throw new Error('boom');\n}\n\nexport default",
  );
  await eventually(async () => (await get('/api/health')).status === 500);
  const lines = (await readFile(join(project, health), 'utf8')).split('\n');
  const line = lines.findIndex((text) => text.includes('throw')) + 1;
  await eventually(() => said(new RegExp(`check-health\\.ts:${line}:\\d+`)));
});

test('Started again without an edit, nothing is built; after one made meanwhile, what it touches is', async () => {
  await edit(health, "throw new Error('boom')", "return { status: 'finer' } as never");
  const { [health]: edited } = hashesOfSources(project);
  await eventually(async () => {
    const built = await readBuild(join(project, 'build'));
    return built && !built.owesDocuments && built.sources[health] === edited;
  });
  await running.stop();
  running = await start();
  expect(running.lines.join('\n')).not.toContain('Building');
  await running.stop();
  await edit('functions/auth/model/registration.ts', 'is surely not open for', 'is certainly not open for');
  running = await start();
  expect(running.lines.join('\n')).toContain('Building');
  expect(await refusedRegistration()).toContain('certainly');
  expect((await get('/api/health')).text).toBe('{"status":"finer"}');
});
