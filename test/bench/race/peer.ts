import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pidsOf } from '../processes.ts';
import type { Contestant } from './contestant.ts';
import { accessTokens } from './peer/accounts.ts';
import { createDatabase, type Ground, loadContacts, prepareTotals } from './peer/load.ts';
import type { PeerOptions } from './peer/main.ts';
import type { Totals } from './peer/statements.ts';
import { type Installation, startCluster } from './postgres.ts';

const program = fileURLToPath(new URL('./peer/main.ts', import.meta.url));
const names: Record<Totals, string> = { counted: 'Peer, counting', kept: 'Peer, trigger counters' };

export interface PeerWanted {
  readonly installation: Installation;
  /** The folder of the cluster's files, which the user of PostgreSQL must be able to reach. */
  readonly directory: string;
  readonly totals: Totals;
  readonly ground: Ground;
  /** An account of each organization, whose tokens are used. */
  readonly callers: Readonly<
    Record<'full' | 'empty', { readonly userId: string; readonly organizationId: string }>
  >;
  /** Added to the settings of PostgreSQL. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts Fastify over its own PostgreSQL. */
export async function startPeer(wanted: PeerWanted): Promise<Contestant> {
  const { installation, directory, totals, ground, callers, settings } = wanted;
  const secret = randomBytes(32);
  const tokens = await accessTokens(secret);
  let cluster = await startCluster(installation, directory, settings);
  const database = { ...cluster.connection, database: 'race' };
  const [full, empty] = [await tokens.sign(callers.full), await tokens.sign(callers.empty)];
  try {
    await createDatabase(cluster.connection, database.database, ground);
    await prepareTotals(database, totals);
    const options: PeerOptions = { database, totals, secret: secret.toString('hex') };
    let server = await startServer(options);
    return {
      name: names[totals],
      url: () => server.url,
      processes: () => ({
        server: [server.pid],
        database: pidsOf(cluster.pid),
      }),
      tokens: { full, team: [full], empty },
      load: (contacts) => loadContacts(database, contacts, totals),
      async restart() {
        await server.stop();
        await cluster.stop();
        cluster = await startCluster(installation, directory, settings);
        server = await startServer(options);
      },
      async stop() {
        await server.stop();
        await cluster.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function startServer(
  options: PeerOptions,
): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  const child = fork(program, [JSON.stringify(options)], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const [url] = await Promise.race([
    once(child, 'message'),
    ended.then(() => Promise.reject(new Error('The peer ended before it listened.'))),
  ]);
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
