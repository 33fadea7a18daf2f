import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBackends } from './backends.ts';
import { readHostCredentials } from './credentials.ts';
import { deploy } from './deployment.ts';
import { type Credentials, functionEnvironment, socketUrl } from './environment.ts';
import { Gateway } from './gateway/gateway.ts';
import type { SocketLimits } from './gateway/socket-api.ts';
import { type HostLog, silentLog } from './host-log.ts';
import { type Interface, loopback } from './listening.ts';
import { openQueues } from './queues/local-queues.ts';
import { openSchedules } from './schedules.ts';
import { openEventSources } from './stream/event-sources.ts';
import { failureDestination } from './stream/stream-failures.ts';
import { streamRequests } from './stream/stream-requests.ts';
import { type Application, type LoadedApplication, loadApplication } from './template/application.ts';
import { limitTime } from './time-limit.ts';
import { FunctionPool } from './workers/function-pool.ts';

export interface HostOptions extends Application {
  /** 0 takes a free one. */
  port: number;
  /** The interface of the gateway and of the object store; by default only this machine reaches them. */
  on?: Interface;
  /** The port of the object store; by default any free one. */
  objectsPort?: number;
  /** The folder that keeps the data; without it everything is gone when the host stops. */
  dataDir?: string;
  /** Added to the environment of every function. */
  environment?: Record<string, string>;
  log?: HostLog;
  limits?: Partial<SocketLimits>;
  /** The database has ended for good, and nothing works any more. The message is for the person who started the host. */
  onLost?(error: Error): void;
}

/** A running host. */
export interface Host {
  /** For example `http://127.0.0.1:3000`. */
  url: string;
  /** The same gateway, at the address by which this machine reaches it. */
  ownUrl: string;
  /** For example `ws://127.0.0.1:3000/socket`. */
  socketUrl: string;
  /** For this process and its functions: neither web pages nor `fetch` can reach it. */
  dynamodbEndpoint: string;
  /** For the host's database, object store, secrets and queues. */
  credentials: Credentials;
  /** The physical name of the table. */
  readonly tableName: string;
  /** The environment of the function with this physical name. */
  functionEnvironment(name: string): Record<string, string>;
  objectStoreEndpoint: string;
  queuesEndpoint: string;
  /** Runs schedules from now on. Fill the table before. */
  startSchedules(): void;
  /** Runs another application from now on. Sockets stay open, and requests under way finish on the former one. */
  reload(application: Application): Promise<void>;
  /** Resolves within two seconds, with nothing left that the host has started. */
  stop(): Promise<void>;
}

/** How long work under way may take to finish after a stop. */
const graceMilliseconds = 1000;

/** The message is for the person who started the host. */
const databaseEnded = new Error('The database ended. Its data is kept: start again.');

const usualLimits: SocketLimits = {
  idleMilliseconds: 10 * 60_000,
  longestMilliseconds: 2 * 60 * 60_000,
};

/**
 * Runs a synthesized cloud assembly on this machine, driven by its templates alone. Rejects when the templates hold
 * something that this host cannot run, when the port is taken, and when there is no database to be found.
 */
export async function startHost(options: HostOptions): Promise<Host> {
  const { dataDir, log = silentLog, on = loopback } = options;
  const limits = { ...usualLimits, ...options.limits };
  const credentials = await readHostCredentials(dataDir && join(dataDir, 'credentials.json'));

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
      onDatabaseEnd: () => options.onLost?.(databaseEnded),
    });
    started.defer(() => backends.stop());

    const pool = new FunctionPool({
      log: log.printed,
      // The function may have written to the table.
      onSettled: () => sources.nudge(),
    });
    const invoke = (name: string, event: unknown) => pool.invoke(name, event);
    /** For events that nobody waits for. */
    const feed = (name: string, event: unknown) => pool.invoke(name, event, false);
    const queues = await openQueues({
      file: dataDir && join(directory, 'queues.sqlite'),
      credentials,
      waitsOutside: (name) => pool.environmentOf(name).OUTGOING_POSTS !== undefined,
      invoke: feed,
      log: log.note,
    });
    started.defer(() => queues.stop());
    const sources = await openEventSources({
      streams: streamRequests(backends.databaseEndpoint, credentials),
      file: dataDir && join(directory, 'streams.json'),
      invoke: feed,
      setAside: failureDestination({
        sendToQueue: queues.send,
        objectStore: () => ({ endpoint: backends.objectStoreEndpoint, credentials }),
      }),
      idleMilliseconds: dataDir === undefined ? 100 : 2000,
      // Under load a look serves many changes; tests, in memory, wait for each change.
      gatherMilliseconds: dataDir === undefined ? 10 : 50,
      log: log.note,
    });
    const schedules = openSchedules({ invoke: feed, log: log.note });
    const gateway = new Gateway({
      port: options.port,
      on,
      invoke,
      limits,
      log,
    });
    started.defer(async () => {
      schedules.stop();
      const sourcesStopped = Promise.all([sources.stop(), queues.stopFeeding()]);
      const inTime = limitTime(graceMilliseconds, sourcesStopped).catch(() => undefined);
      await Promise.all([gateway.stop(graceMilliseconds), inTime]);
      // A batch that is still under way ends with its worker, and is delivered again after the next start.
      await pool.stop();
      // A source that waits for a hanging database ends with it.
      await limitTime(graceMilliseconds / 2, sourcesStopped).catch(() => undefined);
    });
    const url = await gateway.listen();

    const run = async (application: LoadedApplication) => {
      const deployment = await deploy({
        ...application,
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
              queues: queues.endpoint,
              sentMessages: join(directory, 'sent-messages.ndjson'),
              sentMail: join(directory, 'sent-mail.ndjson'),
            },
            credentials,
            options.environment ?? {},
          ),
      });
      pool.define(deployment.functions);
      gateway.serve(deployment);
      await queues.run(deployment.queues, deployment.queueMappings);
      await sources.run(deployment.streams);
      schedules.run(deployment.schedules);
    };
    await run(first);

    return {
      url,
      ownUrl: gateway.ownUrl,
      socketUrl: socketUrl(url),
      dynamodbEndpoint: backends.databaseEndpoint,
      credentials,
      get tableName() {
        return backends.table.name;
      },
      functionEnvironment: (name) => pool.environmentOf(name),
      objectStoreEndpoint: backends.objectStoreEndpoint,
      queuesEndpoint: queues.endpoint,
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
