import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runDatabase } from '../../infra/local/database/database-process.ts';

const address = { host: '127.0.0.1', port: 1 };

/** The only directory with programs. */
let programs: string;
beforeEach(async () => {
  programs = await mkdtemp(join(tmpdir(), 'programs-'));
  vi.stubEnv('PATH', programs);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(programs, { recursive: true });
});

/** Puts this script in the place of the shell. */
async function shell(script: string): Promise<void> {
  await writeFile(join(programs, 'sh'), `#!/bin/sh\n${script}\n`);
  await chmod(join(programs, 'sh'), 0o755);
}

test('Where there is no shell, the database does not start, and it is said why', async () => {
  expect(await runDatabase('database', address, undefined)).toEqual({ problem: 'spawn sh ENOENT' });
});

test('A shell that ends before the database begins is not a database, and what it said is the reason', async () => {
  await shell('echo no more processes >&2; exit 2');
  expect(await runDatabase('database', address, undefined)).toEqual({ problem: 'no more processes' });
});

test('A shell that ends without a word is not a database', async () => {
  await shell('exit 2');
  expect(await runDatabase('database', address, undefined)).toEqual({
    problem: 'Its shell ended at once.',
  });
});
