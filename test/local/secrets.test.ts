import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startSecrets } from '../../infra/local/secrets.ts';

const arn = 'arn:aws:secretsmanager:eu-central-1:000000000000:secret:signing-keys-a1B2c3';
const secrets = [{ arn, name: 'signing-keys', initial: '{"kid":"first"}' }];

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

async function clientOf(options: Parameters<typeof startSecrets>[0]) {
  const { endpoint, stop } = await startSecrets(options);
  const client = new SecretsManagerClient({
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  stops.push(stop, () => client.destroy());
  return Object.assign(client, { stop });
}

describe('a secret of the template', () => {
  test.each([
    ['its ARN', arn],
    ['its name', 'signing-keys'],
    ['its ARN without the random suffix', arn.slice(0, -7)],
  ])('is found by %s', async (_, SecretId) => {
    const client = await clientOf({ secrets });
    const answer = await client.send(new GetSecretValueCommand({ SecretId }));
    expect(answer).toMatchObject({
      ARN: arn,
      Name: 'signing-keys',
      SecretString: '{"kid":"first"}',
      VersionStages: ['AWSCURRENT'],
    });
    expect(answer.CreatedDate).toBeInstanceOf(Date);
  });

  test('keeps a value that was put over a restart, also when the template has another initial value', async () => {
    const first = await clientOf({ file, secrets });
    const put = await first.send(new PutSecretValueCommand({ SecretId: arn, SecretString: 'rotated' }));
    await first.stop();

    const second = await clientOf({ file, secrets: [{ arn, name: 'signing-keys', initial: 'other' }] });
    const value = await second.send(new GetSecretValueCommand({ SecretId: arn }));
    expect(value).toMatchObject({ SecretString: 'rotated', VersionId: put.VersionId });
    expect(await readdir(join(folder, 'state'))).toEqual(['secrets.json']);
  });

  test('keeps its initial value from the first start on', async () => {
    await (await clientOf({ file, secrets })).stop();
    const client = await clientOf({ file, secrets: [{ arn, name: 'signing-keys', initial: 'other' }] });
    const value = await client.send(new GetSecretValueCommand({ SecretId: arn }));
    expect(value.SecretString).toBe('{"kid":"first"}');
  });

  test('has a previous version after a put, and loses the one before', async () => {
    const client = await clientOf({ secrets });
    const initial = await client.send(new GetSecretValueCommand({ SecretId: arn }));
    const second = await client.send(new PutSecretValueCommand({ SecretId: arn, SecretString: 'second' }));
    const third = await client.send(new PutSecretValueCommand({ SecretId: arn, SecretString: 'third' }));

    const previous = new GetSecretValueCommand({ SecretId: arn, VersionStage: 'AWSPREVIOUS' });
    expect((await client.send(previous)).SecretString).toBe('second');
    const byId = new GetSecretValueCommand({ SecretId: arn, VersionId: String(third.VersionId) });
    expect((await client.send(byId)).SecretString).toBe('third');
    const { VersionIdsToStages } = await client.send(new DescribeSecretCommand({ SecretId: arn }));
    expect(VersionIdsToStages).toEqual({
      [String(second.VersionId)]: ['AWSPREVIOUS'],
      [String(third.VersionId)]: ['AWSCURRENT'],
    });
    const gone = new GetSecretValueCommand({ SecretId: arn, VersionId: String(initial.VersionId) });
    await expect(client.send(gone)).rejects.toThrow("can't find the specified secret value for VersionId");
  });

  test('takes the same put twice as one, and refuses another value for the same version', async () => {
    const client = await clientOf({ secrets });
    const input = { SecretId: arn, ClientRequestToken: 'a'.repeat(32), SecretString: 'second' };
    await client.send(new PutSecretValueCommand(input));
    await client.send(new PutSecretValueCommand(input));
    const previous = new GetSecretValueCommand({ SecretId: arn, VersionStage: 'AWSPREVIOUS' });
    expect((await client.send(previous)).SecretString).toBe('{"kid":"first"}');
    const changed = client.send(new PutSecretValueCommand({ ...input, SecretString: 'third' }));
    await expect(changed).rejects.toMatchObject({ name: 'ResourceExistsException' });
  });

  test('can be binary', async () => {
    const client = await clientOf({ secrets });
    const SecretBinary = new Uint8Array([0, 255, 1]);
    await client.send(new PutSecretValueCommand({ SecretId: arn, SecretBinary }));
    const value = await client.send(new GetSecretValueCommand({ SecretId: arn }));
    expect(value.SecretBinary).toEqual(SecretBinary);
    expect(value.SecretString).toBeUndefined();
  });

  test('has every one of many values put at once on disk', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `secret-${index}`);
    const many = names.map((name) => ({ arn: `${arn}${name}`, name, initial: 'initial' }));
    const first = await clientOf({ file, secrets: many });
    await Promise.all(
      names.map((name) => first.send(new PutSecretValueCommand({ SecretId: name, SecretString: name }))),
    );
    await first.stop();
    const second = await clientOf({ file, secrets: many });
    const values = await Promise.all(
      names.map((SecretId) => second.send(new GetSecretValueCommand({ SecretId }))),
    );
    expect(values.map(({ SecretString }) => SecretString)).toEqual(names);
  });
});

test('a secret that is not in the template is not found, whatever one wants of it', async () => {
  const client = await clientOf({ secrets });
  const SecretId = 'unknown';
  const expected = {
    name: 'ResourceNotFoundException',
    message: "Secrets Manager can't find the specified secret.",
    $metadata: { httpStatusCode: 400 },
  };
  await expect(client.send(new GetSecretValueCommand({ SecretId }))).rejects.toMatchObject(expected);
  await expect(client.send(new DescribeSecretCommand({ SecretId }))).rejects.toMatchObject(expected);
  const put = new PutSecretValueCommand({ SecretId, SecretString: 'x' });
  await expect(client.send(put)).rejects.toMatchObject(expected);
});

test('a put without a value is refused', async () => {
  const client = await clientOf({ secrets });
  const put = client.send(new PutSecretValueCommand({ SecretId: arn }));
  await expect(put).rejects.toMatchObject({ name: 'InvalidParameterException' });
});
