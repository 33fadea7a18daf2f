import { join } from 'node:path';
import type { HostLog } from '../host-log.ts';
import type { Application } from '../template/application.ts';
import { buildInto, currentBuild } from './builder.ts';
import { type Build, removeAllBut } from './state.ts';

export interface ApplicationsOptions {
  /** Where builds are kept. */
  readonly directory: string;
  readonly log: HostLog;
  readonly signal: AbortSignal;
}

/** The builds of the sources that a host runs. */
export class Applications {
  readonly #options: ApplicationsOptions;
  /** The build that the host runs. */
  #running: Build | undefined;

  constructor(options: ApplicationsOptions) {
    this.#options = options;
  }

  /** The last build, or a new one when the sources have changed since. */
  async first(): Promise<Application> {
    const { directory, log, signal } = this.#options;
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
    // The sources may have been changed and changed back meanwhile.
    build ??= await currentBuild(directory);
    if (build === undefined) {
      throw new Error('The sources changed while they were built. Start again.');
    }
    this.#running = build;
    await removeAllBut([build], directory);
    return applicationOf(build, directory);
  }

  /** Builds the changes and runs the result from now on. When the build fails, the previous one keeps running. */
  async next(run: (application: Application) => Promise<void>): Promise<void> {
    const { directory, log, signal } = this.#options;
    if (await currentBuild(directory)) {
      return; // Editors also write other files, or the same content again.
    }
    const startedAt = performance.now();
    const before = this.#running;
    let latest: Promise<void> | undefined;
    let hasRun = false;
    const runNext = async (build: Build, after: Promise<void> | undefined) => {
      await after;
      await run(applicationOf(build, directory));
      this.#running = build;
      const milliseconds = Math.round(performance.now() - startedAt);
      if (!hasRun) {
        log.note(`Reloaded in ${milliseconds} ms. Types are not checked here; \`npm run check\` does.`);
      }
      hasRun = true;
    };
    try {
      log.note('Reloading');
      await buildInto(directory, {
        signal,
        onBuild: (build) => {
          latest = runNext(build, latest);
          latest.catch(() => undefined); // Awaited below, once the build has ended.
        },
      });
      await latest;
      // Requests under way may still need files of the build before.
      await removeAllBut([before, this.#running], directory);
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      await latest?.catch(() => undefined);
      const goesOn = hasRun ? 'The documentation stays as it was.' : 'The previous version keeps running.';
      log.note(`${(error as Error).message}\n${goesOn}`);
    }
  }
}

function applicationOf({ assembly, code }: Build, directory: string): Application {
  const folders = Object.entries(code).map(([name, folder]) => [name, join(directory, folder)]);
  return { assembly: join(directory, assembly), code: Object.fromEntries(folders) };
}
