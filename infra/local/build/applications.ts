import { join } from 'node:path';
import type { Application } from '../host.ts';
import type { HostLog } from '../host-log.ts';
import { buildInto, currentBuild } from './builder.ts';
import type { Build } from './state.ts';

export interface ApplicationsOptions {
  /** Where builds are kept. */
  readonly directory: string;
  readonly log: HostLog;
  readonly signal: AbortSignal;
}

/** What was built last time, or what is built now when the sources have changed since. */
export async function firstApplication({
  directory,
  log,
  signal,
}: ApplicationsOptions): Promise<Application> {
  let build = await currentBuild(directory);
  if (build === undefined) {
    log.note('Building the functions and their templates');
    await buildInto(directory, {
      signal,
      onBuild: (next) => {
        build = next;
      },
    });
  }
  // The sources can have been changed and changed back meanwhile.
  build ??= await currentBuild(directory);
  if (build === undefined) throw new Error('The sources changed while they were built. Start again.');
  return applicationOf(build, directory);
}

/** Builds what has changed since, and has it run from now on. What cannot be built leaves everything as it is. */
export async function nextApplications(
  { directory, log, signal }: ApplicationsOptions,
  run: (application: Application) => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  let latest: Promise<unknown> | undefined;
  const runNext = async (build: Build) => {
    const isFirst = latest === undefined;
    await latest;
    await run(applicationOf(build, directory));
    const milliseconds = Math.round(performance.now() - startedAt);
    if (isFirst)
      log.note(`Reloaded in ${milliseconds} ms. Types are not checked here; \`npm run check\` does.`);
  };
  try {
    log.note('Reloading');
    await buildInto(directory, {
      signal,
      onBuild: (build) => {
        latest = runNext(build);
      },
    });
    await latest;
    if (latest === undefined) log.note('Nothing has changed');
  } catch (error) {
    if (!signal.aborted) log.note(`${(error as Error).message}\nThe former version goes on.`);
  }
}

function applicationOf({ assembly, code }: Build, directory: string): Application {
  const folders = Object.entries(code).map(([name, folder]) => [name, join(directory, folder)]);
  return { assembly: join(directory, assembly), code: Object.fromEntries(folders) };
}
