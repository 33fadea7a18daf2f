import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { indexStream } from './stream-index.ts';
import { damaged } from './unusable-data.ts';

/** A running DynamoDB. */
export interface Database {
  endpoint: string;
  /** The file of the embedded database; undefined in memory, and with `DYNAMODB_ENDPOINT`. */
  file: string | undefined;
  stop(): Promise<void>;
}

/**
 * Starts the embedded database on `file`, or in memory when there is none. With `DYNAMODB_ENDPOINT` in the
 * environment that database is used instead, and `stop` leaves it alone. Rejects when `file` holds something else.
 */
export async function startDatabase(file: string | undefined): Promise<Database> {
  const external = process.env.DYNAMODB_ENDPOINT;
  if (external) {
    return { endpoint: external, file: undefined, stop: async () => undefined };
  }
  if (file !== undefined && existsSync(file)) {
    requireReadable(file);
  }
  const binary = findBinary();
  for (let attempt = 1; ; attempt += 1) {
    const started = await start(binary, await freePort(), file);
    if ('endpoint' in started) {
      if (file !== undefined) {
        indexStream(file);
      }
      return started;
    }
    if (file !== undefined && /\b(malformed|not a database|not a valid SQLite)\b/.test(started.complaint)) {
      throw damaged(file);
    }
    if (attempt === 3) {
      throw new Error(`The database ${binary} did not start: ${started.complaint}`);
    }
  }
}

/** SQLite's codes for a damaged file, one that it cannot open, and one that is not a database: CORRUPT, CANTOPEN, NOTADB. */
const damageCodes: ReadonlySet<number> = new Set([11, 14, 26]);

/** Lets SQLite find out whether the file is a database of full length. */
function requireReadable(file: string): void {
  try {
    using database = new DatabaseSync(file, { readOnly: true });
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (error) {
    const { errcode = 0 } = error as { errcode?: number };
    // Other codes say nothing against the file, such as BUSY: the database of a host that was killed is just ending.
    if (damageCodes.has(errcode & 0xff)) {
      throw damaged(file);
    }
  }
}

/**
 * The shell lives as long as its input is open, then ends the database: so the database never outlives this
 * process, not even when it is killed, and Ctrl-C in a terminal reaches it only after the functions have finished.
 */
const lifeline = '"$0" "$@" </dev/null & exec >/dev/null 2>&1; cat; kill $!; wait';

async function start(
  binary: string,
  port: number,
  file: string | undefined,
): Promise<Database | { complaint: string }> {
  const location = file === undefined ? [] : ['--db-path', file];
  const shell = spawn('sh', ['-c', lifeline, binary, 'serve', '-p', String(port), ...location], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  const ended = once(shell, 'close');
  const lines: string[] = [];
  const output = createInterface({ input: shell.stderr });
  const listening = new Promise<boolean>((resolve) => {
    output.on('line', (line) => {
      lines.push(line);
      if (line.includes('listening')) {
        resolve(true);
      }
    });
    // Only the database still holds this pipe: it closes when the database ends.
    output.on('close', () => resolve(false));
  });
  const stop = async () => {
    shell.stdin.end();
    await ended;
  };
  if (await listening) {
    return { endpoint: `http://127.0.0.1:${port}`, file, stop };
  }
  await stop();
  return { complaint: lines.join(' ') };
}

function findBinary(): string {
  const packaged = packagedBinary();
  if (packaged) {
    return packaged;
  }
  const name = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
  const onPath = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((candidate) => existsSync(candidate));
  if (onPath) {
    return onPath;
  }
  throw new Error(
    `No database found: the embedded one is installed on Linux x64 only, and this is ${process.platform} ${process.arch}. ` +
      'Set DYNAMODB_ENDPOINT to a running DynamoDB Local, or put `dynoxide` (github.com/nubo-db/dynoxide) on the PATH.',
  );
}

function packagedBinary(): string | undefined {
  const { resolve } = createRequire(import.meta.url);
  const name = `@dynoxide/${process.platform}-${process.arch}/package.json`;
  try {
    const binary = join(dirname(resolve(name)), 'dynoxide');
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined; // An optional dependency: there is none for this platform.
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (typeof address !== 'object' || address === null) {
    throw new Error('This machine has no free port.');
  }
  return address.port;
}
