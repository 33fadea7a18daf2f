import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimDataDirectory } from '../../infra/local/data-directory.ts';

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'data-directory-'));
});
afterEach(() => rm(path, { recursive: true, force: true }));

/** Claims the directory in another process, which then lives until it is killed. */
async function claimElsewhere() {
  const module = JSON.stringify(new URL('../../infra/local/data-directory.ts', import.meta.url).href);
  const script = `import { claimDataDirectory } from ${module};
    await claimDataDirectory(${JSON.stringify(path)}, { fresh: false });
    console.log('claimed'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

test('two processes cannot have the same directory', async () => {
  const other = await claimElsewhere();
  await expect(claimDataDirectory(path, { fresh: false })).rejects.toThrow(
    `The data directory ${path} is in use by process ${other.pid}: stop that, or choose another with DATA_DIR=.`,
  );
  other.kill('SIGKILL');
  await once(other, 'exit');
});

test('a process that was killed does not keep its directory', async () => {
  const other = await claimElsewhere();
  other.kill('SIGKILL');
  await once(other, 'exit');
  const directory = await claimDataDirectory(path, { fresh: false });
  expect(directory.path).toBe(path);
  await directory.release();
});

test('the claim of a process whose id now belongs to another one counts for nothing', async () => {
  const claim = { pid: process.pid, started: 'Thu Jan  1 00:00:00 1970' };
  await writeFile(join(path, 'host.json'), JSON.stringify(claim));
  const directory = await claimDataDirectory(path, { fresh: false });
  expect(directory.path).toBe(path);
  await directory.release();
});

test('a damaged claim counts for nothing', async () => {
  await writeFile(join(path, 'host.json'), '{"pid":');
  const directory = await claimDataDirectory(path, { fresh: false });
  await directory.release();
  expect(await readdir(path)).toEqual([]);
});

test('beginning anew deletes what the host has written and nothing else', async () => {
  await mkdir(join(path, 'objects'));
  for (const name of ['database.sqlite', 'objects/a', 'photo.jpg']) await writeFile(join(path, name), '');
  const directory = await claimDataDirectory(path, { fresh: true });
  await directory.release();
  expect(await readdir(path)).toEqual(['photo.jpg']);
});
