import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import { eventually } from '../harness/eventually.ts';
import { firstBuild } from '../harness/first-build.ts';

let host: ChildProcess | undefined;
const directory = await mkdtemp(join(tmpdir(), 'switchboard-readme-'));
const builds = await firstBuild();
afterAll(async () => {
  if (host?.exitCode === null && host.signalCode === null) {
    host.kill('SIGTERM');
    await once(host, 'exit');
  }
  await rm(directory, { recursive: true, force: true });
});

/** Starts the host with its demo data; answers its port once it is ready. */
async function start(): Promise<string> {
  const { SEED: _, SEED_PASSWORD: __, ...environment } = process.env;
  const started = spawn(process.execPath, ['infra/local/main.ts'], {
    cwd: projectRoot,
    env: { ...environment, PORT: '0', DATA_DIR: directory, BUILD_DIR: builds },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  host = started;
  for await (const line of createInterface({ input: started.stdout })) {
    const port = /^ready http:\S+:(\d+)$/.exec(line)?.[1];
    if (port !== undefined) {
      started.stdout.resume();
      return port;
    }
  }
  throw new Error('The host ended before it was ready');
}

/** The `sh` blocks of a section of README.md. */
async function readShellBlocks(title: string): Promise<string[]> {
  const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** Runs a script in the project's folder as npm would; resolves with its output once no process that it started holds that open. */
async function run(script: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const path = [join(projectRoot, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const shell = spawn('bash', ['-c', script], {
    cwd: projectRoot,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(shell.stdout),
    text(shell.stderr),
    once(shell, 'exit'),
  ]);
  return { code, stdout, stderr };
}

const port = await start();

test('`npm run tour` shows each request and event, and does so again on the same data', async () => {
  for (const _ of [1, 2]) {
    const { code, stdout, stderr } = await run(`node infra/tour.ts http://127.0.0.1:${port}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect([...stdout.matchAll(/^# Live event: (\w+)$/gm)].map(([, name]) => name)).toEqual([
      'contact_created',
      'contact_stage_changed',
      'message_updated',
      'message_updated',
      'message_created',
      'message_updated',
      'workflow_run_updated',
      'workflow_run_updated',
    ]);
    expect(stdout).toContain("status: 'delivered'");
    expect(stdout).toMatch(/missedCall: \{\s+outcome: 'sent'/);
    expect(stdout).toContain("text: 'Hi Alex, when may we call you?'");
    expect(stdout).toMatch(/Contacted: \{ contacts: \[ \[Object\] \], total: [12] \}/);
    expect(stdout).toMatch(/type: 'addNote',\s+status: 'passed'/);
  }
});

test('The commands of the first five minutes of README.md show the board and a new contact', async () => {
  const [tour, commands = ''] = await readShellBlocks('The first five minutes');
  expect(tour).toBe('npm run tour\n');
  const { code, stdout, stderr } = await run(
    `set -e\n${commands.replace('127.0.0.1:3000', `127.0.0.1:${port}`)}`,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^\{"data":\{"New":\{"contacts":\[/);
  expect(stdout).toMatch(/"message":"Contact created".*"lastName":"Boole".*"message":"Message received"/s);
});

test('The emails that the service sends are in the file that README.md names, a line each; a link to the documentation has the token', async () => {
  const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
  expect(readme).toContain('mail to .local/sent-mail.ndjson');
  const body = JSON.stringify({ email: 'rep@example.com' });
  const url = `http://127.0.0.1:${port}/api/auth/password/forgot`;
  expect((await fetch(url, { method: 'POST', body })).status).toBe(200);

  const lines = async () => {
    const mails = (await readFile(join(directory, 'sent-mail.ndjson'), 'utf8').catch(() => '')).split('\n');
    return mails.slice(0, -1).map((line) => JSON.parse(line) as Record<string, string>);
  };
  const mail = await eventually(async () =>
    (await lines()).find(({ to, text }) => to === 'rep@example.com' && text?.includes('token=')),
  );
  for (const line of await lines()) {
    expect(Object.keys(line)).toEqual(['to', 'subject', 'text']);
  }
  expect(mail.text).toMatch(/^http:\S+\/api\/docs#\/Auth\/[a-z-]+\?token=\S+$/m);
  const token = /token=(\S+)/.exec(mail.text ?? '')?.[1];
  const reset = await fetch(url.replace('forgot', 'reset'), {
    method: 'POST',
    body: JSON.stringify({ token, password: 'a quite different sentence' }),
  });
  expect(reset.status).toBe(200);
});
