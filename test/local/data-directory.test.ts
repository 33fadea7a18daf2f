import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimDataDirectory, dataVersion } from '../../infra/local/data/data-directory.ts';
import { eventually } from '../harness/eventually.ts';

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'data-directory-'));
});
afterEach(() => rm(path, { recursive: true, force: true }));

/** Claims the directory in another process, which then lives until it is killed. */
async function claimElsewhere() {
  const module = JSON.stringify(new URL('../../infra/local/data/data-directory.ts', import.meta.url).href);
  const script = `import { claimDataDirectory } from ${module};
    await claimDataDirectory(${JSON.stringify(path)}, { fresh: false });
    console.log('claimed'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

test('Two processes cannot have the same directory', async () => {
  const other = await claimElsewhere();
  const waiting: number[] = [];
  const onWait = (pid: number) => void waiting.push(pid);
  const claim = claimDataDirectory(path, { fresh: false, onWait });
  await eventually(() => waiting.length > 0);
  expect(waiting).toEqual([other.pid]);
  await expect(claim).rejects.toThrow(
    `The data directory ${path} is in use by process ${other.pid}: stop it, or choose another directory with DATA_DIR=.`,
  );
  other.kill('SIGKILL');
  await once(other, 'exit');
});

test('A process that was killed does not keep its directory', async () => {
  const other = await claimElsewhere();
  other.kill('SIGKILL');
  await once(other, 'exit');
  const directory = await claimDataDirectory(path, { fresh: false });
  expect(directory.path).toBe(path);
  await directory.release();
});

test('The claim of a process whose id now belongs to another one counts for nothing', async () => {
  const claim = { pid: process.pid, started: 'Thu Jan  1 00:00:00 1970' };
  await writeFile(join(path, 'host.json'), JSON.stringify(claim));
  const directory = await claimDataDirectory(path, { fresh: false });
  expect(directory.path).toBe(path);
  await directory.release();
});

test('A damaged claim counts for nothing', async () => {
  await used();
  await writeFile(join(path, 'host.json'), '{"pid":');
  await used();
  expect(await readdir(path)).toEqual(['switchboard.json']);
});

/** Takes possession of the directory and gives it back. */
async function used({ fresh = false } = {}): Promise<void> {
  const directory = await claimDataDirectory(path, { fresh });
  await directory.release();
}

/** Lays files into the directory; a name that ends with a slash is an empty folder. */
async function lay(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    if (name.endsWith('/')) {
      await mkdir(join(path, name), { recursive: true });
    } else {
      await writeFile(join(path, name), text);
    }
  }
}

/** Every file of the directory and what is in it. */
async function content(): Promise<Record<string, string>> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')]));
  return Object.fromEntries(texts);
}

test('A new directory is marked with the version of what comes into it', async () => {
  await used();
  expect(JSON.parse(await readFile(join(path, 'switchboard.json'), 'utf8'))).toEqual({
    version: dataVersion,
  });
  await lay({ 'database.sqlite': 'data', 'secrets.json': '{}', 'photo.jpg': 'photo' });
  await used();
  expect((await readdir(path)).sort()).toEqual([
    'database.sqlite',
    'photo.jpg',
    'secrets.json',
    'switchboard.json',
  ]);
});

test.each<[string, Record<string, string>]>([
  ['an older one', { 'switchboard.json': `{"version":${dataVersion - 1}}` }],
  ['a newer one', { 'switchboard.json': `{"version":${dataVersion + 1}}` }],
  ['one that was being emptied when its host was killed', { 'switchboard.json': '{"version":null}' }],
  ['one whose mark is cut off', { 'switchboard.json': '{"vers' }],
  ['one whose mark is empty', { 'switchboard.json': '' }],
  ['one whose mark has another shape', { 'switchboard.json': '[1]' }],
  ['one whose mark is a folder', { 'switchboard.json/': '' }],
])(
  'A directory of another version is refused in one sentence, and is empty after a start with --fresh: %s',
  async (_, files) => {
    await lay({ 'database.sqlite': 'data', 'objects/key': 'object', 'photo.jpg': 'photo', ...files });
    const before = await content();

    await expect(used()).rejects.toThrow(
      new Error(
        `The data directory ${path} was written by another version of Switchboard: start with --fresh, or choose another data directory with DATA_DIR=.`,
      ),
    );
    const own = [join(path, 'host.json'), join(path, 'switchboard.json')];
    const others = (all: Record<string, string>) =>
      Object.entries(all).filter(([file]) => !own.includes(file));
    expect(others(await content())).toEqual(others(before));

    await used({ fresh: true });
    expect((await readdir(path)).sort()).toEqual(['photo.jpg', 'switchboard.json']);
    await used();
  },
);

test.each<[string, string, Record<string, string>]>([
  ['a folder is a file', 'objects', { objects: '' }],
  ['a file is a folder', 'secrets.json', { 'secrets.json/': '' }],
])('A directory in which %s is damaged until a start with --fresh', async (_, name, files) => {
  await used();
  await lay(files);
  await expect(used()).rejects.toThrow(
    new Error(
      `${join(path, name)} is damaged, or was written by another version of Switchboard: start with --fresh, or choose another data directory with DATA_DIR=.`,
    ),
  );
  await used({ fresh: true });
  expect(await readdir(path)).toEqual(['switchboard.json']);
});

test.each<[string, Record<string, string>]>([
  ['database.sqlite', { 'database.sqlite': 'customers' }],
  ['objects', { 'objects/vase.blend': 'a vase', 'photo.jpg': 'photo' }],
  ['secrets.json', { 'secrets.json': '{"diary":"…"}' }],
  ['host.json', { 'host.json': '{"name":"web-1"}' }],
])(
  'A directory that is not of Switchboard and has a %s of its own is left alone, even with --fresh',
  async (name, files) => {
    await lay(files);
    const before = await content();
    for (const fresh of [false, true]) {
      await expect(used({ fresh })).rejects.toThrow(
        new Error(
          `${join(path, name)} was not written by Switchboard, which would overwrite it: choose another data directory with DATA_DIR=.`,
        ),
      );
      expect(await content()).toEqual(before);
    }
  },
);

test('A directory that is not of Switchboard and has nothing in the way keeps its own files beside those of the host', async () => {
  await lay({ 'photo.jpg': 'photo', 'src/index.ts': 'code' });
  const before = await content();
  await used({ fresh: true });
  await lay({ 'streams.json': '{}' });
  await used({ fresh: true });
  expect(await content()).toEqual({ ...before, [join(path, 'switchboard.json')]: expect.any(String) });
});

test('A directory that did not exist is made for its owner alone', async () => {
  const { release } = await claim('new');
  expect((await stat(join(path, 'new'))).mode & 0o777).toBe(0o700);
  await release();
});

const claim = (name: string) => claimDataDirectory(join(path, name), { fresh: true });
const sentence = (name: string, reason: string) =>
  new Error(
    `The data directory ${join(path, name)} cannot be used: ${reason}. Choose another with DATA_DIR=.`,
  );

const tooLong = 'x'.repeat(300);

test.each<[string, string, () => string]>([
  ['there is a file in its place', 'taken', () => 'it is a file'],
  ['there is a file on the way to it', 'taken/data', () => 'a part of its path is a file'],
  ['its name is too long', tooLong, () => `ENAMETOOLONG at ${join(path, tooLong)}`],
])('A directory cannot be used since %s', async (_, name, reason) => {
  await lay({ taken: 'text' });
  await expect(claim(name)).rejects.toThrow(sentence(name, reason()));
  expect(await readFile(join(path, 'taken'), 'utf8')).toBe('text');
});

// A superuser may write everywhere.
test.skipIf(process.getuid?.() === 0)('A directory cannot be used since it may not be written', async () => {
  await mkdir(join(path, 'locked'), { mode: 0o500 });
  await expect(claim('locked')).rejects.toThrow(sentence('locked', 'this user may not write there'));
});
