// `npm run dev`: the whole product on this machine. README.md has the settings.
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { projectRoot } from '../project.ts';
import { claimDataDirectory, type DataDirectory } from './data-directory.ts';
import type { Host } from './host.ts';
import { watchParents } from './parents.ts';
import { watchSources } from './source-watch.ts';
import { synthesize } from './synthesis.ts';

/** Everything is stopped by then, or left to the system. */
const STOP_MILLISECONDS = 1900;
const HEALTH_MILLISECONDS = 10_000;

const { values } = parseArgs({ options: { fresh: { type: 'boolean', default: false } } });
const { PORT = '3000', DATA_DIR = '.local', SEED, SEED_PASSWORD = 'switchboard-demo' } = process.env;

const stopping = new AbortController();
let directory: DataDirectory | undefined;
let host: Host | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0));
watchParents(() => void stop(0));

try {
  process.env.TZ = 'UTC'; // As on Lambda. Worker threads have the time zone of their process.
  const port = portOf(PORT);
  directory = await claimDataDirectory(resolve(DATA_DIR), { fresh: values.fresh });
  const { path: dataDir } = directory;
  const cloud = join(dataDir, 'cloud');
  await rm(cloud, { recursive: true, force: true });
  let generation = 1;
  // The host's own modules take a while to load too: the other core does it meanwhile.
  const [{ startHost }, { seed }] = await Promise.all([
    import('./host.ts'),
    import('./seed/seed.ts'),
    synthesize(join(cloud, String(generation)), stopping.signal),
  ]);
  const running = await startHost({
    assembly: join(cloud, String(generation)),
    port,
    dataDir,
    log: console.log,
  });
  host = running;
  await Promise.all([seedOnce(running, seed), healthy(running.url)]);
  console.log(`ready ${running.url}`);
  running.startSchedules();

  const watcher = watchSources(projectRoot, async () => {
    const startedAt = performance.now();
    const assembly = join(cloud, String(generation + 1));
    try {
      await synthesize(assembly, stopping.signal);
      await running.reload(assembly);
      generation += 1;
      // The one before may still be needed by a worker that is about to start.
      await rm(join(cloud, String(generation - 2)), { recursive: true, force: true });
      console.log(`reloaded in ${Math.round(performance.now() - startedAt)} ms`);
    } catch (error) {
      if (stopping.signal.aborted) return;
      await rm(assembly, { recursive: true, force: true });
      console.error(`${messageOf(error)}\nThe former version goes on.`);
    }
  });
  stopping.signal.addEventListener('abort', () => watcher.stop());
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(messageOf(error));
    await stop(1);
  }
}

async function stop(code: number): Promise<void> {
  if (stopping.signal.aborted) return; // Ctrl-C reaches every process of a terminal, some by several ways.
  stopping.abort();
  setTimeout(() => process.exit(code), STOP_MILLISECONDS).unref();
  await host?.stop();
  await directory?.release();
  process.exit(code);
}

/** Writes what has to be in the table from the beginning; a table that is not empty stays as it is. */
async function seedOnce(
  { dynamodbEndpoint, credentials, tables }: Host,
  seed: typeof import('./seed/seed.ts').seed,
): Promise<void> {
  const [tableName] = Object.values(tables);
  if (tableName === undefined) throw new Error('The templates have no table.');
  const demo = SEED !== 'none';
  await seed({ dynamodbEndpoint, credentials, tableName, demo, password: SEED_PASSWORD });
}

/** Resolves once the API itself answers. */
async function healthy(url: string): Promise<void> {
  const end = Date.now() + HEALTH_MILLISECONDS;
  for (;;) {
    const response = await fetch(`${url}/api/health`, { signal: stopping.signal });
    if (response.ok) return;
    if (Date.now() > end) {
      throw new Error(`GET ${url}/api/health answers ${response.status}: ${await response.text()}`);
    }
    await sleep(100);
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`PORT=${text} is no port: it must be a number from 0 to 65535, 0 for any free one.`);
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}\n${cause.message}` : error.message;
}
