import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { clientLimits } from '../../shared/ports/aws/client-limits.ts';
import { tableConnection } from '../../shared/ports/table.ts';

test('A response of the table that stops halfway is given up', async () => {
  const server = createServer((_, response) => response.writeHead(200).write('{"Item":'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
    vi.stubEnv(name, 'local');
  }
  onTestFinished(() => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    server.close();
  });
  const { client } = tableConnection({ TABLE_NAME: 't' }, { ...clientLimits, maxAttempts: 1 });
  const read = client.send(new GetCommand({ TableName: 't', Key: { pk: 'a', sk: 'b' } }));
  await expect(read).rejects.toMatchObject({ name: 'TimeoutError' });
});
