import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { second } from '../../shared/kernel/time.ts';
import { sessionKey } from '../../shared/organizations/session.ts';
import { clientLimits } from '../../shared/ports/aws/client-limits.ts';
import { tableConnection } from '../../shared/ports/table.ts';
import { signingSecretStore } from '../../shared/ports/tokens.ts';
import { dynamodbReader } from '../../shared/table/dynamodb-reads.ts';
import { identitySpace } from '../../shared/table/spaces.ts';
import { scope } from './records.ts';

/** Milliseconds after which Lambda ends a function that answers HTTP, less a margin for the rest of its work. */
const timeLeft = 10 * second - 2 * second;

/** Milliseconds that the SDK waits at most between the tries of a call. Source: its standard retry mode, 100 ms × 2^try. */
const pauses = (maxAttempts: number) => 100 * (2 ** (maxAttempts - 1) - 1);

/** What has been asked for, by the service's own name of it. */
const asked: string[] = [];
/** Never responds. */
const server = createServer(({ headers }) => void asked.push(String(headers['x-amz-target'])));

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
for (const name of ['AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SECRETS_MANAGER']) {
  vi.stubEnv(name, endpoint);
}
for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
  vi.stubEnv(name, 'local');
}
afterAll(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const readSecret = () => signingSecretStore({ SIGNING_SECRET_ARN: 'signing' }).read();
const readTable = () =>
  dynamodbReader(tableConnection({ TABLE_NAME: 'table' }), identitySpace, scope()).read(
    sessionKey('any', 'any'),
  );

const services = [readSecret, readTable];

test('Secrets Manager or a table that never responds is a 503 while the function still has time to say so', async () => {
  const silent = { status: 503, retryAfter: 1, cause: { name: 'TimeoutError' } };
  await Promise.all(services.map((read) => expect(read()).rejects.toMatchObject(silent)));
  const { maxAttempts, requestHandler } = clientLimits;
  expect(asked.toSorted()).toEqual([
    ...Array(maxAttempts).fill('DynamoDB_20120810.GetItem'),
    ...Array(maxAttempts).fill('secretsmanager.GetSecretValue'),
  ]);
  expect(maxAttempts * requestHandler.requestTimeout + pauses(maxAttempts)).toBeLessThan(timeLeft);
});

test('Secrets Manager or a table that throttles is a 503', async () => {
  const error = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
  const mocks = [mockClient(SecretsManagerClient), mockClient(DynamoDBDocumentClient)] as const;
  for (const mock of mocks) {
    onTestFinished(() => mock.restore());
    mock.rejects(error);
  }
  const throttled = { status: 503, cause: { name: 'ThrottlingException' } };
  await Promise.all(services.map((read) => expect(read()).rejects.toMatchObject(throttled)));
});
