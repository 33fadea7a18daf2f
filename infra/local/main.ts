// `npm run dev`: runs the product on this machine. README.md has the settings.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../project.ts';
import { Applications } from './build/applications.ts';
import { claimDataDirectory, type DataDirectory } from './data/data-directory.ts';
import { requireDatabase } from './database/database-binary.ts';
import type { Host } from './host.ts';
import { jsonLog } from './host-log.ts';
import { requireFree } from './listening.ts';
import { type Options, readOptions, UsageRequest } from './options.ts';
import { readableLog } from './readable-log.ts';
import { watchSources } from './source-watch.ts';

/** After a stop, the process exits within this time, whatever is still running. */
const stopMilliseconds = 1900;
const healthMilliseconds = 10_000;

const stopping = new AbortController();
const { signal } = stopping;
let directory: DataDirectory | undefined;
let host: Host | undefined;

// This process and its children write personal data, secrets and passwords: no other user of the machine may read them.
process.umask(0o077);
for (const value of ['SIGINT', 'SIGTERM'] as const) {
  process.on(value, () => void stop(0));
}

try {
  await start(readOptions(process.argv.slice(2), process.env));
} catch (error) {
  if (!signal.aborted) {
    console.error(messageOf(error));
    await stop(error instanceof UsageRequest ? error.exitCode : 1);
  }
}

async function start(options: Options): Promise<void> {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  process.env.TZ = 'UTC'; // As on Lambda. Worker threads have the time zone of their process.
  const print = (line: string) => console.log(line);
  const log = options.logsJson ? jsonLog(print) : readableLog(print, timeZone);
  const { port, on, objectsPort, fresh } = options;
  requireDatabase();
  log.note(`Starting Switchboard on Node ${process.versions.node}, with its data in ${options.dataDir}`);
  directory = await claimDataDirectory(resolve(options.dataDir), {
    fresh,
    onWait: (pid) => log.note(`Waiting for process ${pid}, which uses this data`),
    async whenLocked() {
      for (const value of [port, objectsPort]) {
        await requireFree(value, on);
      }
    },
  });
  const { path: dataDir } = directory;
  const applications = new Applications({ log, signal });

  const { demo } = options;
  const isFirst = !process.env.DYNAMODB_ENDPOINT && !existsSync(join(dataDir, 'database.sqlite'));
  // While another process builds, this one loads the host's own modules and creates the first data.
  const [application, { startHost }, { announcement }, { seed, ...data }] = await Promise.all([
    applications.first(),
    import('./host.ts'),
    import('./announcement.ts'),
    import('../seed/seed.ts').then(({ seed, prepare, usualPassword }) => {
      const wanted = { demo, password: options.password ?? usualPassword };
      return { seed, ...wanted, prepared: isFirst ? prepare(wanted) : undefined };
    }),
  ]);
  log.note('Starting the database, the object store and the gateway');
  const running = await startHost({ ...application, port, on, objectsPort, dataDir, log, onLost });
  host = running;
  const { dynamodbEndpoint, credentials, tableName } = running;
  const onBegin = () => log.note(demo ? 'Writing the demo data' : 'Writing the first user');
  const [seeded] = await Promise.all([
    seed({ dynamodbEndpoint, credentials, tableName, ...data, onBegin }),
    healthy(running.ownUrl),
  ]);
  print(`ready ${running.url}`);
  if (!options.logsJson) {
    print(announcement(running, dataDir, seeded).join('\n'));
  }
  running.startSchedules();

  const watcher = watchSources(projectRoot, () => applications.next(running.reload));
  signal.addEventListener('abort', () => watcher.stop());
  watcher.changed(); // Sources may have been edited during the start.
}

async function stop(code: number): Promise<void> {
  if (signal.aborted) {
    return; // A process can get Ctrl-C several times: from the terminal, and from its parents.
  }
  stopping.abort();
  setTimeout(() => void exit(code), stopMilliseconds).unref();
  await host?.stop();
  await exit(code);
}

async function exit(code: number): Promise<void> {
  await directory?.release();
  process.exit(code);
}

/** Ends the program, which would refuse every request without its database. */
function onLost({ message }: Error): void {
  console.error(message);
  void stop(1);
}

/** Resolves once the API itself responds. */
async function healthy(url: string): Promise<void> {
  const end = Date.now() + healthMilliseconds;
  for (;;) {
    const response = await fetch(`${url}/api/health`, { signal });
    if (response.ok) {
      return;
    }
    if (Date.now() > end) {
      throw new Error(`GET ${url}/api/health returned ${response.status}: ${await response.text()}`);
    }
    await sleep(100);
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const { cause } = error;
  return cause instanceof Error ? `${error.message}\n${cause.message}` : error.message;
}
