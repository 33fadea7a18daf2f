import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { startDatabase } from '../../../infra/local/database.ts';
import { openTable } from '../../../infra/local/seed/connection.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { writeContacts } from '../bulk-writer.ts';
import type { Contestant } from './contestant.ts';
import { type HostProcess, startHostProcess } from './host.ts';
import { newOrganizations, type Organizations } from './organizations.ts';
import { type Served, treeOf } from './processes.ts';

export interface Switchboard extends Contestant {
  readonly organizations: Organizations;
  host(): HostProcess;
}

/** The local host over the database file of a new data directory, with two organizations and no contacts. */
export async function startSwitchboard(dataDir: string, isInspected = false): Promise<Switchboard> {
  let host = await startHostProcess(dataDir, isInspected);
  const restart = async () => {
    await host.stop();
    host = await startHostProcess(dataDir, isInspected);
  };
  try {
    const organizations = await newOrganizations(host.url);
    return {
      name: 'Switchboard',
      organizations,
      host: () => host,
      url: () => host.url,
      processes: () => processesOf(host),
      tokens: { full: organizations.full.token, empty: organizations.empty.token },
      async load(contacts) {
        await host.stop();
        await writeInto(join(dataDir, 'database.sqlite'), organizations.full.organizationId, contacts);
        host = await startHostProcess(dataDir, isInspected);
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

/** The processes of the database, and all others that the host has started, with its own. */
function processesOf({ pid }: HostProcess): Served {
  const { database = [], server = [] } = Object.groupBy(treeOf(pid), ({ name }) =>
    name === databaseName ? 'database' : 'server',
  );
  return { server: server.map((one) => one.pid), database: database.map((one) => one.pid) };
}

/** Writes while no host runs, so that none reads the stream of it at the same time. */
async function writeInto(
  file: string,
  organizationId: string,
  contacts: readonly StoredContact[],
): Promise<void> {
  const database = await startDatabase(file);
  try {
    const tableName = await onlyTable(database.endpoint);
    using table = openTable({ dynamodbEndpoint: database.endpoint, tableName });
    await writeContacts(table.organization(organizationId), contacts);
  } finally {
    await database.stop();
  }
}

async function onlyTable(endpoint: string): Promise<string> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  try {
    const { TableNames = [] } = await client.send(new ListTablesCommand());
    const [name, ...others] = TableNames;
    if (name === undefined || others.length > 0) {
      throw new Error(`The database has ${TableNames.length} tables instead of one.`);
    }
    return name;
  } finally {
    client.destroy();
  }
}
