import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectRoot } from '../../infra/project.ts';

let directory: string;
let host: ChildProcess | undefined;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'switchboard-readme-'));
});
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

/** Runs a script in the project's folder as npm would; answers what it said once nothing it started holds its output. */
async function run(script: string): Promise<{ code: unknown; said: string; complaints: string }> {
  const path = [join(projectRoot, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const shell = spawn('bash', ['-c', script], {
    cwd: projectRoot,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, complaints, [code]] = await Promise.all([
    text(shell.stdout),
    text(shell.stderr),
    once(shell, 'exit'),
  ]);
  return { code, said, complaints };
}

const blockEnd = '=== end of block ===';
const eventLine = /event: (\{.*\})\n/g;

it('The first five minutes of README.md show the board, the events and the contact, and leave no process behind', async () => {
  const port = await start();
  const blocks = await shellBlocks('The first five minutes');
  const commands = blocks.map((block) => block.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`));
  expect(commands.join('')).not.toContain('3000');

  // A terminal has job control, by which README.md ends the listener; a script must ask for it.
  const script = ['set -e -m', ...commands.map((command) => `${command}\necho; echo '${blockEnd}'`)].join(
    '\n',
  );
  const { code, said, complaints } = await run(script);
  expect({ code, complaints }).toEqual({ code: 0, complaints: expect.not.stringContaining('rror') });

  const events = [...said.matchAll(eventLine)].map(([, event = '']) => JSON.parse(event));
  expect(events.map(({ event }) => event)).toEqual([
    'contact_created',
    'contact_stage_changed',
    'contact_created',
    'message_created',
  ]);

  const answers = said
    .replaceAll(eventLine, '')
    .split(blockEnd)
    .map((answer) => answer.trim());
  const boards = answers
    .filter((answer) => answer.startsWith('{"data":'))
    .map((answer) => JSON.parse(answer));
  expect(boards).toHaveLength(2);
  const [board, search] = boards;
  expect(Object.keys(board.data).length).toBeGreaterThan(1);
  expect(board.data.Won.contacts).toHaveLength(1);
  expect(Object.keys(search.data)).toEqual(['Won']);
  expect(search.data.Won.total).toBeGreaterThan(0);
  expect(search.data.Won.contacts).toContainEqual(
    expect.objectContaining({ firstName: 'Ada', lastName: 'Lovelace', stage: 'Won' }),
  );
});
