import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { damaged } from './data/unusable-data.ts';
import { startDatabase } from './database/database.ts';
import { findTable, provideTable } from './database/tables.ts';
import type { Credentials } from './environment.ts';
import type { Interface, LocalServer } from './listening.ts';
import { startObjectStore } from './object-store/store.ts';
import { startSecrets } from './secrets.ts';
import { region } from './template/intrinsics.ts';
import { bucketNames, secretArns, type TablePlan, table } from './template/plan.ts';
import type { Resources } from './template/resources.ts';

/** The database, the object store and the secrets of the templates. */
export interface Backends {
  readonly table: TablePlan;
  readonly database: DynamoDBClient;
  /** No web page can reach it. */
  readonly databaseEndpoint: string;
  readonly objectStoreEndpoint: string;
  readonly secretsEndpoint: string;
  /** Creates what these templates define; what exists already keeps its content. */
  provide(resources: Resources): Promise<void>;
  stop(): Promise<void>;
}

/** Starts them on `directory`; with `inMemory` the table and the secrets are gone when they stop. */
export async function startBackends(options: {
  directory: string;
  inMemory: boolean;
  credentials: Credentials;
  /** Where the object store listens. */
  objects: { on: Interface; port: number };
  resources: Resources;
  /** Called when the embedded database has ended by itself. */
  onDatabaseEnd(): void;
}): Promise<Backends> {
  const { directory, inMemory, credentials, objects } = options;
  const firstTable = table(options.resources);
  const fileOf = (name: string) => (inMemory ? undefined : join(directory, name));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const databaseFile = fileOf('database.sqlite');
  const secretsFile = fileOf('secrets.json');
  const awsEnvFile = fileOf('aws.env');
  // The secrets are written after the table: if they are there, the database has had its table.
  const hasHadTable = [databaseFile, secretsFile].every((file) => file !== undefined && existsSync(file));
  const running = await startDatabase(databaseFile);
  let isStopping = false;
  void running.ended.then(() => isStopping || options.onDatabaseEnd());
  const { endpoint: databaseEndpoint } = running;
  const database = new DynamoDBClient({ endpoint: databaseEndpoint, region, credentials });

  const objectStore = restartable((buckets: string[]) =>
    startObjectStore({ dir: join(directory, 'objects'), buckets, ...objects, credentials, region }),
  );
  const secretStore = restartable((arns: string[]) =>
    startSecrets({ arns, credentials, ...(secretsFile !== undefined && { file: secretsFile }) }),
  );

  const backends = {
    table: firstTable,
    database,
    databaseEndpoint,
    get objectStoreEndpoint() {
      return objectStore.endpoint();
    },
    get secretsEndpoint() {
      return secretStore.endpoint();
    },
    async provide(resources: Resources) {
      const plan = table(resources);
      const tableThenSecrets = async () => {
        await provideTable(database, plan, running.file);
        await secretStore.provide(secretArns(resources));
      };
      await Promise.all([tableThenSecrets(), objectStore.provide(bucketNames(resources))]);
      backends.table = plan;
      if (awsEnvFile !== undefined) {
        const endpoints = {
          dynamodb: databaseEndpoint,
          s3: objectStore.endpoint(),
          secretsManager: secretStore.endpoint(),
        };
        await writeAwsEnvFile(awsEnvFile, { endpoints, credentials, tableName: plan.name });
      }
    },
    async stop() {
      isStopping = true;
      database.destroy();
      await Promise.all([running.stop(), objectStore.stop(), secretStore.stop()]);
    },
  };
  try {
    if (running.file !== undefined && hasHadTable) {
      if (!(await findTable(database, backends.table.name))) {
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

/** A server that is restarted when the templates define something else for it. */
function restartable<T>(start: (wanted: T) => Promise<LocalServer>) {
  let server: LocalServer | undefined;
  let provided: T | undefined;
  return {
    endpoint: () => server?.endpoint ?? '',
    async provide(wanted: T) {
      if (isDeepStrictEqual(wanted, provided)) {
        return;
      }
      await server?.stop();
      server = await start(wanted);
      provided = wanted;
    },
    stop: async () => server?.stop(),
  };
}

/** The settings that tools such as the AWS CLI need to reach a running host. */
interface AwsEnv {
  endpoints: { dynamodb: string; s3: string; secretsManager: string };
  credentials: Credentials;
  tableName: string;
}

/** Writes the settings as a shell script that only the owner of the file can read. */
async function writeAwsEnvFile(file: string, { endpoints, credentials, tableName }: AwsEnv): Promise<void> {
  const variables = {
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    TABLE_NAME: tableName,
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`);
  await writeFile(file, lines.join(''), { mode: 0o600 });
}
