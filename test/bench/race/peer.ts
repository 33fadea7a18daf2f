import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SignJWT } from 'jose';
import { processIds } from '../processes.ts';
import type { Contestant, RacingOrganization } from './contestant.ts';
import { createDatabase, loadContacts } from './peer/database.ts';
import type { PeerOptions } from './peer/main.ts';
import { type Installation, startCluster } from './postgres.ts';

export interface PeerWanted {
  readonly installation: Installation;
  /** The folder of the cluster's files, which the user of PostgreSQL must be able to reach. */
  readonly directory: string;
  readonly organization: RacingOrganization;
  /** Added to the settings of PostgreSQL. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts Fastify over its own PostgreSQL. */
export async function startPeer(wanted: PeerWanted): Promise<Contestant> {
  const { installation, directory, organization, settings } = wanted;
  const secret = randomBytes(32);
  const token = await new SignJWT({ organizationId: organization.organizationId })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(organization.adminId)
    .setExpirationTime('24h')
    .sign(secret);
  const cluster = await startCluster(installation, directory, settings);
  try {
    const database = await createDatabase(cluster.connection, organization);
    const server = await startServer({ database, secret: secret.toString('hex') });
    return {
      name: 'Peer',
      url: () => server.url,
      processes: () => ({ server: [server.pid], database: processIds(cluster.pid) }),
      tokens: [token],
      load: (contacts) => loadContacts(database, contacts),
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
  const program = fileURLToPath(new URL('./peer/main.ts', import.meta.url));
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
