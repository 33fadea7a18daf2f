import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildFolder } from '../../build-folder.ts';
import { projectRoot } from '../../project.ts';
import { changedPaths, hashesOfSources } from '../../sources.ts';
import { Build, readBuild } from './state.ts';

/** The last build, if the sources have not changed since. */
export async function readCurrentBuild(): Promise<Build | undefined> {
  const build = await readBuild(buildFolder);
  if (build === undefined || build.owesDocuments) {
    return undefined;
  }
  return changedPaths(build.sources, hashesOfSources(projectRoot)).length === 0 ? build : undefined;
}

/**
 * Builds what has changed, in a process of its own. `onBuild` gets each build that can be run, and none when nothing has changed.
 * Rejects with a `BuildError` when the sources cannot be built.
 */
export async function buildChanges({
  directory = buildFolder,
  signal,
  onBuild,
}: {
  directory?: string;
  signal: AbortSignal;
  onBuild(build: Build): void;
}): Promise<void> {
  await mkdir(directory, { recursive: true });
  const child = fork(fileURLToPath(new URL('./build.ts', import.meta.url)), [directory], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    signal,
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.on('message', (message) => onBuild(Build.parse(message)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) {
    throw new BuildError(stderr.trim() || `The build ended with ${code ?? 'a signal'}.`);
  }
}

/** The sources cannot be built. The message says where and why. */
class BuildError extends Error {}
