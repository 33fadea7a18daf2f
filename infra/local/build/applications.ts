import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { buildFolder, keepUsed } from '../../build-folder.ts';
import type { HostLog } from '../host-log.ts';
import type { Application } from '../template/application.ts';
import { buildChanges, readCurrentBuild } from './builder.ts';
import { type Build, buildFolders } from './state.ts';

export interface ApplicationsOptions {
  readonly log: HostLog;
  readonly signal: AbortSignal;
}

/** The builds of the sources that a host runs. */
export class Applications {
  readonly #options: ApplicationsOptions;
  /** The builds that the host has run and whose files are there, the present one last. */
  readonly #run: Build[] = [];

  constructor(options: ApplicationsOptions) {
    this.#options = options;
  }

  /** The last build, or a new one when the sources have changed since. */
  async first(): Promise<Application> {
    const { log, signal } = this.#options;
    let build = await readCurrentBuild();
    if (build === undefined) {
      log.note('Building the functions and their templates');
      await buildChanges({
        signal,
        onBuild: (next) => {
          build = next;
        },
      });
    }
    // The sources may have been changed and changed back meanwhile.
    build ??= await readCurrentBuild();
    if (build === undefined) {
      throw new Error('The sources changed while they were built. Start again.');
    }
    this.#run.push(build);
    await keepUsed(buildFolders(build));
    return applicationOf(build);
  }

  /** Builds the changes and runs the result from now on. When the build fails, the previous one keeps running. */
  async next(run: (application: Application) => Promise<void>): Promise<void> {
    const { log, signal } = this.#options;
    const found = await readCurrentBuild();
    const runs = ({ assembly, code }: Build) =>
      assembly === this.#run.at(-1)?.assembly && isDeepStrictEqual(code, this.#run.at(-1)?.code);
    if (found !== undefined && runs(found)) {
      return; // Editors also write other files, or the same content again.
    }
    const startedAt = performance.now();
    let latest: Promise<void> | undefined;
    let hasRun = false;
    const runNext = async (build: Build, after: Promise<void> | undefined) => {
      await after;
      await run(applicationOf(build));
      this.#run.push(build);
      const milliseconds = Math.round(performance.now() - startedAt);
      if (!hasRun) {
        log.note(`Reloaded in ${milliseconds} ms. Types are not checked here; \`npm run check\` does.`);
      }
      hasRun = true;
    };
    try {
      log.note('Reloading');
      if (found !== undefined) {
        await runNext(found, undefined); // Another host has built the same changes.
      } else {
        await buildChanges({
          signal,
          onBuild: (build) => {
            latest = runNext(build, latest);
            latest.catch(() => undefined); // Awaited below, once the build has ended.
          },
        });
        await latest;
      }
      await this.#forget();
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      await latest?.catch(() => undefined);
      const goesOn = hasRun ? 'The documentation stays as it was.' : 'The previous version keeps running.';
      log.note(`${(error as Error).message}\n${goesOn}`);
    }
  }

  /** Removes files of earlier builds, but not of the last two before the present one: requests under way may still need them. */
  async #forget(): Promise<void> {
    const former = this.#run.splice(0, this.#run.length - 3);
    const needed = new Set(this.#run.flatMap((build) => [...buildFolders(build)]));
    const left = former.flatMap((build) => [...buildFolders(build)]).filter((name) => !needed.has(name));
    await Promise.all(left.map((name) => rm(join(buildFolder, name), { recursive: true, force: true })));
  }
}

function applicationOf({ assembly, code }: Build): Application {
  const folders = Object.entries(code).map(([name, folder]) => [name, join(buildFolder, folder)]);
  return { assembly: join(buildFolder, assembly), code: Object.fromEntries(folders) };
}
