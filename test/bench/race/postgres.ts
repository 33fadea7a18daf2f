import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);

/** Where the programs of a PostgreSQL are, and who must own the files of its cluster. */
export interface Installation {
  readonly folder: string;
  /** For example `15.18`. */
  readonly version: string;
}

/** A running cluster. */
export interface Cluster {
  readonly version: string;
  /** The process that starts all others. */
  readonly pid: number;
  /** For `pg`, without the name of the database. */
  readonly connection: { readonly host: string; readonly port: number; readonly user: string };
  stop(): Promise<void>;
}

/** The name of the cluster's superuser. */
const owner = 'race';

/** Where to look besides the PATH, which has none of these programs on many systems. */
const usualFolders = ['/usr/lib/postgresql', '/usr/pgsql', '/opt/homebrew/opt', '/usr/local/pgsql'];

/** The newest PostgreSQL with the extension for substring search; undefined where there is none. */
export async function findPostgres(): Promise<Installation | undefined> {
  const folders: (string | undefined)[] = [
    await run('pg_config', ['--bindir']).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    ),
    ...(await versionedFolders()),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  for (const folder of folders) {
    const version = folder ? await versionIn(folder) : undefined;
    if (folder && version !== undefined) {
      return { folder, version };
    }
  }
  return undefined;
}

async function versionIn(folder: string): Promise<string | undefined> {
  try {
    await run(join(folder, 'initdb'), ['--version']);
    const { stdout } = await run(join(folder, 'postgres'), ['--version']);
    return /(\d+(?:\.\d+)?)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

async function versionedFolders(): Promise<string[]> {
  const found = await Promise.all(
    usualFolders.map(async (folder) => {
      const names = await readdir(folder).catch((): string[] => []);
      return ['.', ...names.toSorted((a, b) => Number.parseFloat(b) - Number.parseFloat(a))].map((name) =>
        join(folder, name, 'bin'),
      );
    }),
  );
  return found.flat();
}

/**
 * Starts a cluster with its files below `directory`, and initializes it unless there is one already. It listens only on a socket in
 * that folder.
 * @param settings are added to the usual ones.
 */
export async function startCluster(
  { folder, version }: Installation,
  directory: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Cluster> {
  const identity = process.getuid?.() === 0 ? await otherUser() : undefined;
  const [data, socket] = [join(directory, 'data'), join(directory, 'socket')];
  for (const one of [directory, socket]) {
    await mkdir(one, { recursive: true });
    if (identity !== undefined) {
      await chown(one, identity.uid, identity.gid);
    }
  }
  if (!(await readdir(data).catch((): string[] => [])).includes('PG_VERSION')) {
    const arguments_ = ['-D', data, '-U', owner, '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
    await run(join(folder, 'initdb'), arguments_, { ...identity, cwd: directory });
  }
  const options = Object.entries({ ...usualSettings, unix_socket_directories: socket, ...settings });
  const shell = spawn(
    'sh',
    [
      ...['-c', lifeline, join(folder, 'postgres'), '-D', data],
      ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...identity, cwd: directory, detached: true, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  const ended = once(shell, 'exit');
  shell.stdin.on('error', () => undefined); // It has ended already.
  const lines: string[] = [];
  shell.stderr.on('data', (chunk) => lines.push(String(chunk)));
  const connection = { host: socket, port: 5432, user: owner };
  await accepting(shell, connection, lines);
  return {
    version,
    pid: shell.pid ?? 0,
    connection,
    async stop() {
      shell.stdin.end();
      await ended;
    },
  };
}

/**
 * The shell runs until its input is closed, then stops PostgreSQL (`INT`: fast shutdown). So PostgreSQL never outlives this process, not
 * even if that is killed.
 */
const lifeline = '"$0" "$@" </dev/null & exec >/dev/null 2>&1; cat; kill -INT $!; wait';

/** A user to run PostgreSQL, which refuses root and users without a name. */
async function otherUser(): Promise<{ uid: number; gid: number }> {
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, name]))).catch(() => undefined);
    if (ids !== undefined) {
      const [uid = Number.NaN, gid = Number.NaN] = ids.map(({ stdout }) => Number(stdout));
      return { uid, gid };
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody to run it as.');
}

/** `fsync` and `synchronous_commit` are left as they are: on. */
const usualSettings = {
  listen_addresses: '',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  max_wal_size: '2GB',
  random_page_cost: '1.1',
  jit: 'off',
  max_connections: '60',
};

async function accepting(
  shell: ChildProcess,
  connection: Cluster['connection'],
  lines: readonly string[],
): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    const client = new Client({ ...connection, database: 'postgres' });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (shell.exitCode !== null || Date.now() > end) {
        throw new Error(`PostgreSQL did not start: ${lines.join('').trim()}`, { cause: error });
      }
      await pause(50);
    }
  }
}
