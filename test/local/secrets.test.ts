import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSecrets } from '../../infra/local/secrets.ts';

const arn = 'arn:aws:secretsmanager:eu-central-1:000000000000:secret:signing-keys-a1B2c3';

let folder: string;
let file: string;
let stops: Array<() => unknown>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-'));
  file = join(folder, 'state', 'secrets.json');
  stops = [() => rm(folder, { recursive: true })];
});

afterEach(async () => {
  for (const stop of stops.reverse()) {
    await stop();
  }
});

const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };

async function clientOf(options: Omit<Parameters<typeof startSecrets>[0], 'credentials'>) {
  const { endpoint, stop } = await startSecrets({ ...options, credentials });
  const client = new SecretsManagerClient({
    endpoint,
    region: 'eu-central-1',
    credentials,
    maxAttempts: 1,
  });
  stops.push(stop, () => client.destroy());
  return Object.assign(client, { stop });
}

async function textOf(client: SecretsManagerClient, SecretId = arn): Promise<string | undefined> {
  return (await client.send(new GetSecretValueCommand({ SecretId }))).SecretString;
}

test('A secret of the template is found by its ARN, and holds a random text of 32 characters', async () => {
  const client = await clientOf({ arns: [arn] });
  const answer = await client.send(new GetSecretValueCommand({ SecretId: arn }));
  expect(answer).toMatchObject({ ARN: arn, SecretString: expect.stringMatching(/^.{32}$/) });
  expect(await textOf(await clientOf({ arns: [arn] }))).not.toBe(answer.SecretString);
});

test('A secret keeps over a restart the value that was put, many at once, and else its random text', async () => {
  const arns = Array.from({ length: 20 }, (_, index) => `${arn}-${index}`);
  const first = await clientOf({ file, arns: [arn, ...arns] });
  const text = await textOf(first);
  await Promise.all(
    arns.map((SecretId) => first.send(new PutSecretValueCommand({ SecretId, SecretString: SecretId }))),
  );
  await first.stop();
  const second = await clientOf({ file, arns: [arn, ...arns] });
  expect(await Promise.all(arns.map((SecretId) => textOf(second, SecretId)))).toEqual(arns);
  expect(await textOf(second)).toBe(text);
  expect(await readdir(join(folder, 'state'))).toEqual(['secrets.json']);
});

test('A secret that is not in the template is not found, whatever one wants of it', async () => {
  const client = await clientOf({ arns: [arn] });
  const SecretId = 'unknown';
  const expected = {
    name: 'ResourceNotFoundException',
    message: "Secrets Manager can't find the specified secret.",
    $metadata: { httpStatusCode: 400 },
  };
  await expect(client.send(new GetSecretValueCommand({ SecretId }))).rejects.toMatchObject(expected);
  const put = new PutSecretValueCommand({ SecretId, SecretString: 'x' });
  await expect(client.send(put)).rejects.toMatchObject(expected);
});

test.each([
  ['without a value', { SecretId: arn }],
  ['of bytes', { SecretId: arn, SecretBinary: new Uint8Array([0, 255, 1]) }],
])('A put %s is refused', async (_, input) => {
  const client = await clientOf({ arns: [arn] });
  const put = client.send(new PutSecretValueCommand(input));
  await expect(put).rejects.toMatchObject({ name: 'InvalidParameterException' });
});

test('What the store does not have is refused: former versions and descriptions', async () => {
  const client = await clientOf({ arns: [arn] });
  const former = client.send(new GetSecretValueCommand({ SecretId: arn, VersionStage: 'AWSPREVIOUS' }));
  await expect(former).rejects.toMatchObject({ name: 'InvalidParameterException' });
  const description = client.send(new DescribeSecretCommand({ SecretId: arn }));
  await expect(description).rejects.toMatchObject({ name: 'UnknownOperationException' });
});
