import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startObjectStore } from '../../infra/local/object-store/store.ts';
import { systemActor } from '../../shared/kernel/actor.ts';
import { noDeadline } from '../../shared/kernel/deadline.ts';
import {
  consumptionMeter,
  type InvocationScope,
  type PortTypes,
  type Provider,
} from '../../shared/kernel/ports.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import {
  provideAttachments,
  provideDocuments,
  provideDownloads,
  provideErasure,
  provideExportFiles,
  provideExports,
  provideImportFiles,
  provideNewAttachments,
  providePlans,
  provideStoredDocuments,
  provideUploads,
} from '../../shared/ports/objects.ts';
import { unhurried } from './eventually.ts';

type ObjectPorts = PortTypes['objects'];

const providersByAccess = {
  downloads: provideDownloads,
  attachments: provideAttachments,
  newAttachments: provideNewAttachments,
  uploads: provideUploads,
  importFiles: provideImportFiles,
  storedDocuments: provideStoredDocuments,
  documents: provideDocuments,
  plans: providePlans,
  exports: provideExports,
  exportFiles: provideExportFiles,
  erasure: provideErasure,
};

/** The real local object store with an empty bucket. It starts when it is first asked for something. */
export interface TestObjects {
  /** The port of an operation that declares this access to `objects`. */
  provider(access: keyof ObjectPorts): Promise<Provider>;
  /** The port as a caller of this organization has it, to arrange and to look: at `at`, or now. */
  of<G extends keyof ObjectPorts>(organizationId: string, access: G, at?: Date): Promise<ObjectPorts[G]>;
  /** The environment variables of a function for the bucket and its credentials. */
  environment(): Promise<Record<string, string>>;
  /** The bytes of every object, each with its key and its metadata. */
  contents(): Promise<Buffer[]>;
  stop(): Promise<void>;
}

export function testObjects(): TestObjects {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const bucket = 'switchboard';
  const region = 'local';
  let started: ReturnType<typeof startObjectStore> | undefined;
  const made = new Map<keyof ObjectPorts, Provider>();

  let folder: string | undefined;

  async function start() {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-objects-'));
    return startObjectStore({ dir: folder, buckets: [bucket], port: 0, credentials, region });
  }

  async function environment(): Promise<Record<string, string>> {
    started ??= start();
    return {
      BUCKET_NAME: bucket,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_ENDPOINT_URL_S3: (await started).endpoint,
    };
  }

  async function provider(access: keyof ObjectPorts): Promise<Provider> {
    const provide = made.get(access) ?? providersByAccess[access](await environment(), unhurried);
    made.set(access, provide);
    return provide;
  }

  return {
    provider,
    async of(organizationId, access, at = new Date()) {
      const provide = await provider(access);
      return provide(invocationScope(organizationId, at)) as ObjectPorts[typeof access];
    },
    environment,
    async contents() {
      const files = folder === undefined ? [] : await readdir(join(folder, bucket));
      return Promise.all(files.map((name) => readFile(join(folder ?? '', bucket, name))));
    },
    async stop() {
      await (await started)?.stop();
      if (folder !== undefined) {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** The scope of an invocation by a member of this organization, or by nobody. */
export function invocationScope(organizationId: string | undefined, at = new Date()): InvocationScope {
  const { clock } = newInvocation({ ...systemRuntime, clock: () => at }, {});
  const caller: InvocationScope['caller'] =
    organizationId === undefined
      ? undefined
      : { userId: 'user-1', role: 'SALES_REP', organizationId, homeOrganizationId: organizationId };
  const { random } = Math;
  const origin = { actor: systemActor };
  return {
    ...clock,
    random,
    caller,
    organizationId,
    origin,
    meter: consumptionMeter(),
    deadline: noDeadline,
  };
}
