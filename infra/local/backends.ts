import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { startDatabase } from './database.ts';
import type { Credentials } from './environment.ts';
import { REGION } from './intrinsics.ts';
import type { Interface, LocalServer } from './listening.ts';
import { startObjectStore } from './object-store/store.ts';
import { bucketNames, secrets, type TablePlan, tables } from './plan.ts';
import type { Resources } from './resources.ts';
import { startSecrets } from './secrets.ts';
import { bringTableToPlan } from './tables.ts';

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
  const running = await startDatabase(fileOf('database.sqlite'));
  const configuration = { endpoint: running.endpoint, region: REGION, credentials };
  const database = new DynamoDBClient(configuration);
  const databaseStreams = new DynamoDBStreamsClient(configuration);

  const objectStore = restartable(bucketNames, (buckets) =>
    startObjectStore({ dir: join(directory, 'objects'), buckets, ...objects, credentials, region: REGION }),
  );
  const secretStore = restartable(secrets, (wanted) => {
    const file = fileOf('secrets.json');
    return startSecrets({ secrets: wanted, ...(file !== undefined && { file }) });
  });

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
      const tablesReady = Promise.all(plans.map((plan) => bringTableToPlan(database, plan)));
      await Promise.all([tablesReady, objectStore.provide(resources), secretStore.provide(resources)]);
      backends.tables = plans;
    },
    async stop() {
      database.destroy();
      databaseStreams.destroy();
      await Promise.all([running.stop(), objectStore.stop(), secretStore.stop()]);
    },
  };
  try {
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
      if (server && isDeepStrictEqual(identityOf(wanted), identityOf(provided))) return;
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
