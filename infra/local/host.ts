import { watch } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Assembly, loadAssembly } from './assembly.ts';
import { startBackends } from './backends.ts';
import { type Credentials, functionEnvironment, socketUrl } from './environment.ts';
import { openEventSources } from './event-sources.ts';
import { deleteExpiredItems } from './expiry.ts';
import { FunctionPool } from './functions.ts';
import { Gateway } from './gateway.ts';
import { type Generation, prepareGeneration } from './generation.ts';
import { type HostLog, silentLog } from './host-log.ts';
import { type Interface, loopback } from './listening.ts';
import type { CodeByName } from './plan.ts';
import { openQueues } from './queues.ts';
import { Resources } from './resources.ts';
import { openSchedules } from './schedules.ts';
import { within } from './time-limit.ts';

/** What a host runs. */
export interface Application {
  /** The folder of a synthesized cloud assembly. */
  assembly: string;
  /** The code that the assembly does not hold itself. */
  code?: CodeByName;
}

export interface HostOptions extends Application {
  /** 0 takes a free one. */
  port: number;
  /** Of the gateway and of the object store; only this machine reaches them unless stated. */
  on?: Interface;
  /** Of the object store; any free one unless stated. */
  objectsPort?: number;
  /** Where data outlives the host; without it everything is gone when the host stops. */
  dataDir?: string;
  /** Added to the environment of every function. */
  environment?: Record<string, string>;
  log?: HostLog;
  limits?: Partial<Limits>;
}

export interface Limits {
  /** A WebSocket connection without a message ends after this long; 10 minutes. */
  idleMilliseconds: number;
  /** Every WebSocket connection ends after this long; 2 hours. */
  longestMilliseconds: number;
  /** Workers of all functions together; 24. */
  mostWorkers: number;
  /** Workers of one function, each with one event at a time; 8. */
  mostWorkersOfOneFunction: number;
}

/** A running host. */
export interface Host {
  /** For example `http://127.0.0.1:3000`. */
  url: string;
  /** The same for this machine, whatever clients call it. */
  ownUrl: string;
  /** For example `ws://127.0.0.1:3000/socket`. */
  socketUrl: string;
  dynamodbEndpoint: string;
  /** With these the host's database, object store and secrets can be used. */
  credentials: Credentials;
  /** The physical names of the tables by logical id. */
  readonly tables: Record<string, string>;
  /** The environment of a function, named by its logical id or by its physical name. */
  functionEnvironment(function_: string): Record<string, string>;
  /** What was sent to the queue with this physical name, oldest first. */
  queueMessages(name: string): Promise<unknown[]>;
  /** Lets rules run what they schedule, from now on: a table that is to be filled must be so before. */
  startSchedules(): void;
  /** Runs another application from now on. Sockets stay open and requests under way end as they began. */
  reload(application: Application): Promise<void>;
  /** Resolves within two seconds, with nothing left that the host has started. */
  stop(): Promise<void>;
}

const localCredentials: Credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const expiryMilliseconds = 10 * 60_000;
/** What is under way at a stop may take this long to end. */
const graceMilliseconds = 1000;

const usualLimits: Limits = {
  idleMilliseconds: 10 * 60_000,
  longestMilliseconds: 2 * 60 * 60_000,
  mostWorkers: 24,
  mostWorkersOfOneFunction: 8,
};

/**
 * Runs a synthesized cloud assembly on this machine, driven by its templates alone. Rejects when the templates hold
 * something that this host cannot run, when the port is taken, and when there is no database to be found.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const { dataDir, log = silentLog, on = loopback } = options;
  const limits = { ...usualLimits, ...options.limits };
  const credentials = externalCredentials() ?? localCredentials;

  const started = new AsyncDisposableStack();
  try {
    const first = await loadApplication(options);
    const directory = dataDir ?? (await mkdtemp(join(tmpdir(), 'switchboard-')));
    if (dataDir === undefined) {
      started.defer(() => rm(directory, { recursive: true, force: true }));
    }

    const backends = await startBackends({
      directory,
      inMemory: dataDir === undefined,
      credentials,
      objects: { on, port: options.objectsPort ?? 0 },
      resources: first.resources,
    });
    started.defer(() => backends.stop());

    const queues = openQueues(join(directory, 'queues'));
    const pool = new FunctionPool({ ...limits, log: log.printed, onSettled: () => sources.nudge() });
    const invoke = (name: string, event: unknown) => pool.invoke(name, event);
    const sources = await openEventSources({
      client: backends.databaseStreams,
      file: dataDir && join(directory, 'streams.json'),
      invoke,
      sendToQueue: queues.send,
      idleMilliseconds: dataDir === undefined ? 100 : 1000,
      log: log.note,
    });
    if (dataDir !== undefined) {
      // A database in a file tells of every write, so that nobody has to ask all the time.
      const watcher = watch(dataDir, (_event, name) => {
        if (name === 'database.sqlite-wal') {
          sources.nudge();
        }
      });
      started.defer(() => watcher.close());
    }
    const schedules = openSchedules({ invoke, log: log.note });
    const gateway = new Gateway({ port: options.port, on, invoke, limits, log });
    started.defer(async () => {
      schedules.stop();
      const sourcesStopped = sources.stop();
      const inTime = within(graceMilliseconds, sourcesStopped).catch(() => undefined);
      await Promise.all([gateway.stop(graceMilliseconds), inTime]);
      // A batch that is still under way ends with its worker, and comes again after the next start.
      await pool.stop();
      await sourcesStopped;
    });
    const url = await gateway.listen();

    let generation: Generation;
    const run = async ({ assembly, resources, code }: LoadedApplication) => {
      generation = await prepareGeneration({
        assembly,
        resources,
        code,
        directory,
        log: log.printed,
        environmentOf: (definition, apis) =>
          functionEnvironment(
            definition,
            apis,
            {
              gateway: url,
              management: gateway.ownUrl,
              database: backends.databaseEndpoint,
              objectStore: backends.objectStoreEndpoint,
              secrets: backends.secretsEndpoint,
              sentMessages: join(directory, 'sent-messages.ndjson'),
            },
            credentials,
            options.environment ?? {},
          ),
      });
      pool.define(generation.functions);
      gateway.serve(generation.apis);
      await sources.run(generation.streams);
      schedules.run(generation.schedules);
    };
    await run(first);

    const expiry = setInterval(() => {
      const sweeps = backends.tables.map((table) => deleteExpiredItems(backends.database, table, Date.now()));
      Promise.all(sweeps).catch((error: unknown) => log.note(`Expired items could not be deleted: ${error}`));
    }, expiryMilliseconds);
    started.defer(() => clearInterval(expiry));

    return {
      url,
      ownUrl: gateway.ownUrl,
      socketUrl: socketUrl(url),
      dynamodbEndpoint: backends.databaseEndpoint,
      credentials,
      get tables() {
        return backends.tableNames;
      },
      functionEnvironment: (name) => pool.environmentOf(generation.functionNames[name] ?? name),
      queueMessages: queues.messages,
      startSchedules: schedules.start,
      async reload(application) {
        const next = await loadApplication(application);
        await backends.provide(next.resources);
        await run(next);
      },
      stop: () => started.disposeAsync(),
    };
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

interface LoadedApplication {
  assembly: Assembly;
  resources: Resources;
  code: CodeByName;
}

async function loadApplication({ assembly: directory, code = {} }: Application): Promise<LoadedApplication> {
  const assembly = await loadAssembly(directory);
  return { assembly, resources: new Resources(assembly), code };
}

/** A database of one's own may want real credentials. */
function externalCredentials(): Credentials | undefined {
  const { DYNAMODB_ENDPOINT, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
  if (!DYNAMODB_ENDPOINT || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    return undefined;
  }
  return { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
}
