import { join } from 'node:path';
import { writeContactsInto } from '../database-file.ts';
import { type StartedServer, startHost } from '../local-host.ts';
import { treeOf } from '../processes.ts';
import type { Contestant, Served } from './contestant.ts';
import { newOrganizations, type Organizations } from './organizations.ts';

export interface Switchboard extends Contestant {
  readonly organizations: Organizations;
  host(): StartedServer;
}

/** Starts the local host on a new data directory, with two organizations and no contacts. */
export async function startSwitchboard(dataDir: string, isInspected = false): Promise<Switchboard> {
  const environment = { SEED: 'none', LOG: 'json' };
  const start = () => startHost(dataDir, { environment, isInspected });
  let host = await start();
  const restart = async () => {
    await host.stop();
    host = await start();
  };
  try {
    const organizations = await newOrganizations(host.url);
    return {
      name: 'Switchboard',
      organizations,
      host: () => host,
      url: () => host.url,
      processes: () => processesOf(host),
      tokens: {
        full: organizations.full.token,
        team: organizations.team,
        empty: organizations.empty.token,
      },
      async load(contacts) {
        await host.stop();
        const file = join(dataDir, 'database.sqlite');
        await writeContactsInto(file, organizations.full.organizationId, contacts);
        host = await start();
      },
      restart,
      stop: () => host.stop(),
    };
  } catch (error) {
    await host.stop();
    throw error;
  }
}

/** The program of the embedded database. */
const databaseName = 'dynoxide';

/** The processes of the database, and all others: that of the host, and those that it has started. */
function processesOf({ pid }: StartedServer): Served {
  const { database = [], server = [] } = Object.groupBy(treeOf(pid), ({ name }) =>
    name === databaseName ? 'database' : 'server',
  );
  return { server: server.map((one) => one.pid), database: database.map((one) => one.pid) };
}
