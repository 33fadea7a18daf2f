import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { loadClient } from '../client/loaded-client.ts';
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

describe('The README of the client', () => {
  const readBlocks = async (language: string) => {
    const readme = await readFile(join(projectRoot, 'infra/client/README.md'), 'utf8');
    return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
      ([, block = '']) => block.replace('127.0.0.1:3000', `127.0.0.1:${port}`),
    );
  };

  test('Its program of 25 lines answers each text once, however it is stopped', async () => {
    const [program = ''] = await readBlocks('js');
    expect(program.trim().split('\n').length).toBeLessThanOrEqual(25);
    const folder = await mkdtemp(join(directory, 'answer-'));
    await writeFile(join(folder, 'answer.mjs'), program);
    const [begin = '', text = ''] = await readBlocks('sh');
    const path = [dirname(process.execPath), process.env.PATH].join(delimiter);

    const twice = 'for _ in 1 2; do node answer.mjs & echo "process $!"; wait $! || true; done';
    const shell = spawn('bash', ['-c', `set -e\n${begin.replace('node answer.mjs', twice)}`], {
      cwd: folder,
      env: { ...process.env, PATH: path },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const questions = ['Are you open?', 'And tomorrow?'];
    let running = 0;
    let asked = 0;
    for await (const line of createInterface({ input: shell.stdout })) {
      running = Number(/^process (\d+)$/.exec(line)?.[1] ?? running);
      if (line.startsWith('Answering the texts to ')) {
        const question = questions[asked] ?? '';
        asked += 1;
        await run(text.replace('SM2', `SM${asked + 1}`).replace('Are you open?', question));
      }
      if (line === `Answered: ${questions[asked - 1]}`) {
        process.kill(running);
      }
    }
    expect(asked).toBe(2);
    const url = `http://127.0.0.1:${port}`;
    const client = (await loadClient(url)).createClient({ baseUrl: url });
    await client.login({ email: 'admin@example.com', password: 'switchboard-demo' });
    const messages: string[] = [];
    const [contact] = Object.values(
      (await client.listContactsByStage({ search: '3035550183' })).data,
    ).flatMap((column) => (column as { contacts: { _id: string }[] }).contacts);
    for await (const { _id: id } of client.listConversations({ contactId: contact?._id })) {
      for await (const { content } of client.listMessages({ id })) {
        messages.push(content);
      }
    }
    const answer = 'Thank you! We will call you today.';
    expect(messages.sort()).toEqual(['And tomorrow?', 'Are you open?', answer, answer]);
  });

  test('Its command makes a package with which a program calls the service', async () => {
    const [, , command = ''] = await readBlocks('sh');
    const { code, stdout } = await run(
      `set -e\ncd ${directory}\n${command.replace('./infra', `${projectRoot}/infra`)}`,
    );
    expect(code).toBe(0);
    const [archive = ''] = /switchboard-client-\S+\.tgz$/m.exec(stdout) ?? [];
    expect(archive).toBe(`switchboard-client-${packageJson.version}.tgz`);
    const folder = join(directory, 'node_modules/switchboard-client');
    const program = `import { createClient } from 'switchboard-client';
      console.log((await createClient({ baseUrl: 'http://127.0.0.1:${port}' }).checkHealth()).status);`;
    await writeFile(join(directory, 'program.mjs'), program);
    const tried = await run(
      `set -e\ncd ${directory}\nmkdir -p ${folder}\ntar xzf ${archive} -C ${folder} --strip-components 1\n${process.execPath} program.mjs\nls ${folder}`,
    );
    expect(tried.stdout.trim().split('\n')).toEqual(['ok', 'README.md', 'dist', 'package.json']);
  });
});
