import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readBuild } from '../../infra/local/build/state.ts';
import { projectRoot } from '../../infra/project.ts';
import { changedPaths, hashesOfSources } from '../../infra/sources.ts';
import { timed } from './figures.ts';

/** Milliseconds from saving a file to the first response that shows the edit. */
export interface EditTimes {
  /** For a file in `functions/`. */
  readonly rule: number;
  /** For a file in `shared/` that all operations import. */
  readonly shared: number;
}

/** A copy of the project whose sources can be edited. */
export async function copiedProject(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-edits-'));
  for (const name of ['functions', 'shared', 'infra', 'package.json', 'package-lock.json', 'cdk.json']) {
    await cp(join(projectRoot, name), join(folder, name), { recursive: true });
  }
  await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Edits files of the copy that a host runs, and undoes the edits. */
export async function editTimes(folder: string, url: string): Promise<EditTimes> {
  const textOf = async (path: string) => (await fetch(`${url}${path}`)).text();
  const edited = async (file: string, [from, to]: [string, string], path: string) => {
    const at = join(folder, file);
    const source = await readFile(at, 'utf8');
    if (!source.includes(from)) {
      throw new Error(`${file} has no ${from} to edit.`);
    }
    await textOf(path); // Starts the function, whose start is not to be in the time of the edit.
    const { ms } = await timed(async () => {
      await writeFile(at, source.replaceAll(from, to));
      await until(async () => (await textOf(path)).includes('edited'));
    });
    await documented(folder);
    await writeFile(at, source);
    await until(async () => !(await textOf(path)).includes('edited'));
    await documented(folder);
    return ms;
  };
  return {
    rule: await edited('functions/system/check-health.ts', ["'ok'", "'edited'"], '/api/health'),
    shared: await edited(
      'shared/kernel/http/query.ts',
      ['is not a query parameter', 'is no edited query parameter'],
      '/api/health?limt=1',
    ),
  };
}

/** Waits for the documentation, which is built after the functions, so that its build is not in the time of the next edit. */
function documented(folder: string): Promise<void> {
  return until(async () => {
    const built = await readBuild(join(folder, 'build'));
    const isCurrent = built && changedPaths(built.sources, hashesOfSources(folder)).length === 0;
    return isCurrent === true && !built?.owesDocuments;
  });
}

/** Polls until it is true. @throws after half a minute. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await isTrue())) {
    if (performance.now() > end) {
      throw new Error('An edit did not show within half a minute.');
    }
    await pause(5);
  }
}
