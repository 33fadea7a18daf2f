import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { startDatabase } from './database.ts';
import type { Credentials } from './environment.ts';
import { region } from './intrinsics.ts';
import type { Interface, LocalServer } from './listening.ts';
import { startObjectStore } from './object-store/store.ts';
import { bucketNames, secrets, type TablePlan, tables } from './plan.ts';
import type { Resources } from './resources.ts';
import { startSecrets } from './secrets.ts';
import { bringTableToPlan, hasAnyTable } from './tables.ts';
import { damaged } from './unusable-data.ts';

/** The database, the object store and the secrets that the templates ask for. */
export interface Backends {
  readonly tables: TablePlan[];
  /** The physical names of the tables by logical id. */
  readonly tableNames: Record<string, string>;
  readonly database: DynamoDBClient;
  readonly databaseStreams: DynamoDBStreamsClient;
  readonly databaseEndpoint: string;
  readonly objectStoreEndpoint: string;
  readonly secretsEndpoint: string;
  /** Brings everything to what these templates ask for; what is there already keeps its content. */
  provide(resources: Resources): Promise<void>;
  stop(): Promise<void>;
}

/** Starts them on `directory`; with `inMemory` the tables and the secrets are gone when they stop. */
export async function startBackends(options: {
  directory: string;
  inMemory: boolean;
  credentials: Credentials;
  /** Where the object store listens. */
  objects: { on: Interface; port: number };
  resources: Resources;
}): Promise<Backends> {
  const { directory, inMemory, credentials, objects } = options;
  const fileOf = (name: string) => (inMemory ? undefined : join(directory, name));
  await mkdir(directory, { recursive: true });
  const databaseFile = fileOf('database.sqlite');
  const secretsFile = fileOf('secrets.json');
  // The secrets are written after the tables: where they lie beside a database, that has had its tables.
  const hasHadTables = [databaseFile, secretsFile].every((file) => file !== undefined && existsSync(file));
  const running = await startDatabase(databaseFile);
  const configuration = { endpoint: running.endpoint, region, credentials };
  const database = new DynamoDBClient(configuration);
  const databaseStreams = new DynamoDBStreamsClient(configuration);

  const objectStore = restartable(bucketNames, (buckets) =>
    startObjectStore({ dir: join(directory, 'objects'), buckets, ...objects, credentials, region }),
  );
  const secretStore = restartable(secrets, (wanted) =>
    startSecrets({ secrets: wanted, ...(secretsFile !== undefined && { file: secretsFile }) }),
  );

  const backends: Backends & { tables: TablePlan[] } = {
    tables: [],
    get tableNames() {
      return Object.fromEntries(backends.tables.map(({ logicalId, name }) => [logicalId, name]));
    },
    database,
    databaseStreams,
    databaseEndpoint: running.endpoint,
    get objectStoreEndpoint() {
      return objectStore.endpoint();
    },
    get secretsEndpoint() {
      return secretStore.endpoint();
    },
    async provide(resources: Resources) {
      const plans = tables(resources);
      const afterwards = async () => {
        await Promise.all(plans.map((plan) => bringTableToPlan(database, plan, running.file)));
        await secretStore.provide(resources);
      };
      await Promise.all([afterwards(), objectStore.provide(resources)]);
      backends.tables = plans;
    },
    async stop() {
      database.destroy();
      databaseStreams.destroy();
      await Promise.all([running.stop(), objectStore.stop(), secretStore.stop()]);
    },
  };
  try {
    if (running.file !== undefined && hasHadTables) {
      if (!(await hasAnyTable(database, tables(options.resources)))) {
        throw damaged(running.file);
      }
    }
    await backends.provide(options.resources);
  } catch (error) {
    await backends.stop();
    throw error;
  }
  return backends;
}

/** A server that is started anew when the templates ask it for something else. */
function restartable<T>(wantedOf: (resources: Resources) => T, start: (wanted: T) => Promise<LocalServer>) {
  let server: LocalServer | undefined;
  let provided: T | undefined;
  return {
    endpoint: () => server?.endpoint ?? '',
    async provide(resources: Resources) {
      const wanted = wantedOf(resources);
      if (server && isDeepStrictEqual(identityOf(wanted), identityOf(provided))) {
        return;
      }
      await server?.stop();
      server = await start(wanted);
      provided = wanted;
    },
    stop: async () => server?.stop(),
  };
}

/** Generated initial values differ each time and count only once. */
function identityOf(wanted: unknown): unknown {
  return JSON.stringify(wanted, (key, value: unknown) => (key === 'initial' ? undefined : value));
}
