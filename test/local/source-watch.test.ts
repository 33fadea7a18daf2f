import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchSources } from '../../infra/local/source-watch.ts';
import { eventually } from '../harness/eventually.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'source-watch-'));
  for (const folder of ['functions/contacts', 'shared', 'infra/local']) {
    await mkdir(join(root, folder), { recursive: true });
  }
});
afterEach(() => rm(root, { recursive: true, force: true }));

test('An edit of a source file is noticed, several at once as one, and edits of the host itself are not', async () => {
  let changes = 0;
  const watcher = watchSources(root, async () => {
    changes += 1;
  });
  // In one go, so that none is noticed before the last is made.
  writeFileSync(join(root, 'infra/local/host.ts'), '// edited');
  writeFileSync(join(root, 'functions/contacts/move-contact.ts'), '// edited');
  writeFileSync(join(root, 'shared/time.ts'), '// edited');
  await eventually(() => changes > 0);
  expect(changes).toBe(1);
  watcher.stop();
});

test('A file that an editor replaces stays in sight, and so does a file in a new folder', async () => {
  let changes = 0;
  const watcher = watchSources(root, async () => {
    changes += 1;
  });
  const file = join(root, 'shared/time.ts');
  const changed = async (edit: () => Promise<unknown>) => {
    const before = changes;
    await edit();
    await eventually(() => changes > before);
  };
  const replace = async () => {
    await writeFile(join(root, 'draft.ts'), String(changes));
    await rename(join(root, 'draft.ts'), file);
  };
  await changed(replace);
  await changed(replace);
  await changed(() => writeFile(file, 'in place'));
  await changed(() => mkdir(join(root, 'functions/new')));
  await changed(() => writeFile(join(root, 'functions/new/file.ts'), ''));
  await changed(() => rm(join(root, 'functions/new'), { recursive: true }));
  watcher.stop();
});

test('An edit during the work on another one is worked on after it', async () => {
  const started: PromiseWithResolvers<void>[] = [];
  let running = 0;
  let maxRunning = 0;
  const watcher = watchSources(root, async () => {
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    const work = Promise.withResolvers<void>();
    started.push(work);
    await work.promise;
    running -= 1;
  });
  await writeFile(join(root, 'shared/a.ts'), '1');
  await eventually(() => started.length === 1);
  await writeFile(join(root, 'shared/a.ts'), '2');
  const waiting = setTimeout(() => started[0]?.resolve(), 500);
  await eventually(() => started.length === 2);
  started[1]?.resolve();
  clearTimeout(waiting);
  expect(maxRunning).toBe(1);
  watcher.stop();
});
