import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import { eventually } from '../harness/eventually.ts';
import { provideFirstBuild } from '../harness/first-build.ts';

let host: ChildProcess | undefined;
const directory = await mkdtemp(join(tmpdir(), 'switchboard-readme-'));
await provideFirstBuild(directory);
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
    env: { ...environment, PORT: '0', DATA_DIR: directory },
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
async function shellBlocks(title: string): Promise<string[]> {
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

/** What `show` prints of an event. */
const eventShown = /event: '(\w+_\w+)'/g;

test('The first five minutes of README.md show the board, the events and the contact, and leave no process behind', async () => {
  const commands = (await shellBlocks('The first five minutes'))
    .join('\n')
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    .replaceAll('.local/', `${directory}/`);
  expect(commands).not.toMatch(/:3000|\.local/);

  const { code, stdout, stderr } = await run(`set -e\n${commands}`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const plain = stripVTControlCharacters(stdout);

  expect(plain).toMatch(/^\{\n {2}data: \{\n {4}New: \{/);
  expect(plain).toContain("event: 'listening'");
  expect([...plain.matchAll(eventShown)].map(([, name]) => name)).toEqual([
    'contact_created',
    'contact_stage_changed',
    'message_created',
    'message_updated',
    'message_updated',
    'contact_created',
    'message_created',
    'workflow_run_updated',
    'workflow_run_updated',
    'workflow_run_updated',
  ]);
  expect(plain).toMatch(/to: '\+13035550181',\s+content: 'Is it true\?'/);
  expect(plain).toMatch(/missedCall: \{\s+outcome: 'sent',\s+reason: '(?:open|closed)',\s+messageId: '/);
  expect(plain).toMatch(/to: '\+13035550183',\s+content: 'Sorry we missed you\./);
  expect(plain).toMatch(/text: 'Hi Alex, when may we call you\?'/);
  expect([...plain.matchAll(/revision: 1,\s+status: '(\w+)'/g)].map(([, status]) => status)).toEqual([
    ...['running', 'waiting', 'finished'],
    'finished', // The run itself.
  ]);
  expect(plain).toMatch(/type: 'addNote',\s+status: 'passed',\s+at: '[^']+',\s+noteId: '/);
  expect(plain).toMatch(/Contacted: \{\s+contacts: \[.*George.*Boole.*\],\s+total: 1\s+\}/s);
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
  for (const one of await lines()) {
    expect(Object.keys(one)).toEqual(['to', 'subject', 'text']);
  }
  expect(mail.text).toMatch(/^http:\S+\/api\/docs#\/Auth\/[a-z-]+\?token=\S+$/m);
  const token = /token=(\S+)/.exec(mail.text ?? '')?.[1];
  const reset = await fetch(url.replace('forgot', 'reset'), {
    method: 'POST',
    body: JSON.stringify({ token, password: 'a quite different sentence' }),
  });
  expect(reset.status).toBe(200);
});
