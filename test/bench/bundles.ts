import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { bundle, bundling } from '../../infra/bundle/bundle.ts';
import { planFunctions, portsOfAll } from '../../infra/function-plan.ts';
import type { Resources } from '../../infra/port-resources.ts';
import type { Registered } from '../../infra/registry.ts';
import { createSigningSecret, publicKeySet } from '../../shared/kernel/auth/signing-secret.ts';
import { loadedFiles } from '../harness/loaded-files.ts';
import type { Importable } from './imports.ts';

export interface Bundled extends Importable {
  readonly uses: string;
  /** Whether the budgets apply to it: to all but those that contain a document that they send. */
  readonly isHeld: boolean;
  /** Bytes of minified code that a start of the function evaluates. */
  readonly bytes: number;
  readonly gzipped: number;
  /** Bytes of the other files, which only some calls load. */
  readonly lazy: number;
}

/** Bundles the functions of the operations as they are deployed. */
export async function bundled(operations: readonly Registered[], folder: string): Promise<Bundled[]> {
  await bundle(operations, folder);
  const surroundings = await pretended();
  return Promise.all(
    planFunctions(operations).map(async (plan) => {
      const file = join(folder, plan.name, 'index.mjs');
      const ports = portsOfAll(plan);
      const environment = Object.assign({}, ...ports.map(({ environment }) => environment?.(surroundings)));
      return {
        name: plan.name,
        file,
        environment: { ...lambda, ...environment },
        uses: ports.map(({ name }) => name).join(' '),
        isHeld: ports.every(({ name }) => name !== 'asset'),
        ...(await sizesOf(file)),
      };
    }),
  );
}

/** The document client alone. */
export async function bundledDocumentClient(folder: string): Promise<Bundled> {
  await build({
    ...bundling([], [], folder),
    plugins: [],
    entryPoints: [{ in: join(import.meta.dirname, 'document-client.ts'), out: 'document-client/index' }],
  });
  const file = join(folder, 'document-client/index.mjs');
  return {
    name: 'document client',
    file,
    environment: lambda,
    uses: '',
    isHeld: false,
    ...(await sizesOf(file)),
  };
}

async function sizesOf(file: string): Promise<Pick<Bundled, 'bytes' | 'gzipped' | 'lazy'>> {
  const folder = dirname(file);
  const content = Buffer.from([...(await loadedFiles(folder)).values()].join(''));
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
  const all = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  return { bytes: content.length, gzipped: gzipSync(content).length, lazy: all - content.length };
}

/** The variables that Lambda sets; nothing listens at the endpoint. */
const lambda = {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SESSION_TOKEN: 'local',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
};

async function pretended(): Promise<Resources> {
  const publicKeys = JSON.stringify(publicKeySet(await createSigningSecret(1, new Date())));
  return {
    tableName: 'switchboard',
    connectionLimit: 2_000,
    webhookHttp: false,
    tableArn: 'arn:aws:dynamodb:eu-central-1:123456789012:table/switchboard',
    bucketName: 'switchboard',
    objectsArn: (pattern) => `arn:aws:s3:::switchboard/${pattern}`,
    signingSecretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:signing',
    smsSecretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:sms',
    sealingSecretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:sealing',
    mailSender: {
      from: 'crm@example.com',
      region: 'eu-central-1',
      identitiesArn: 'arn:aws:ses:eu-central-1:123456789012:identity/*',
    },
    appUrl: 'https://app.example.com',
    queueUrl: (name) => `https://sqs.eu-central-1.amazonaws.com/123456789012/${name}`,
    queueArn: (name) => `arn:aws:sqs:eu-central-1:123456789012:${name}`,
    deadLettersUrl: (name) => `https://sqs.eu-central-1.amazonaws.com/123456789012/${name}-dead`,
    deadLettersArn: (name) => `arn:aws:sqs:eu-central-1:123456789012:${name}-dead`,
    failedBatchesArn: 'arn:aws:s3:::failed-batches',
    trialPolicy: 'open',
    publicKeys: () => publicKeys,
    keysFingerprint: () => 'fingerprint',
    apiUrl: () => 'http://127.0.0.1:9',
    socketUrl: 'ws://127.0.0.1:9',
    socketEndpoint: 'http://127.0.0.1:9',
    socketConnectionsArn: (method) =>
      `arn:aws:execute-api:eu-central-1:123456789012:api/stage/${method}/@connections/*`,
  };
}
