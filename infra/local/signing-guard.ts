import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { TableHttp } from '../../shared/table/dynamodb-http.ts';
import type { DatabaseCredentials } from './credentials.ts';
import type { Credentials } from './environment.ts';
import { admittedBody } from './guard.ts';
import { type LocalServer, startServer } from './listening.ts';
import { region } from './template/intrinsics.ts';

/** What clients look at in an answer. */
const givenBack = ['content-type', 'x-amz-crc32', 'x-amzn-requestid'];

/**
 * The way to a database that somebody else has started and that wants credentials of its own: takes what is signed with those of the host,
 * and signs it anew. The others may be a person's own for AWS: no function, no file and no tool gets to know them.
 */
export async function startSigningGuard(options: {
  endpoint: string;
  credentials: Credentials;
  databaseCredentials: DatabaseCredentials;
}): Promise<LocalServer> {
  const url = new URL(options.endpoint);
  const http = new TableHttp();
  const signer = new SignatureV4({
    credentials: options.databaseCredentials,
    region,
    service: 'dynamodb',
    sha256: Sha256,
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await admittedBody(request, response, options.credentials);
    if (body === undefined) {
      return;
    }
    const passed = new HttpRequest({
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port !== '' && { port: Number(url.port) }),
      method: 'POST',
      path: url.pathname,
      headers: {
        host: url.host,
        'content-type': String(request.headers['content-type'] ?? ''),
        'x-amz-target': String(request.headers['x-amz-target'] ?? ''),
      },
      body,
    });
    try {
      const { response: answer } = await http.handle((await signer.sign(passed)) as HttpRequest);
      const headers = givenBack.map((name) => [name, answer.headers[name]]);
      response.writeHead(answer.statusCode, Object.fromEntries(headers.filter(([, value]) => value)));
      response.end(answer.body);
    } catch {
      response.writeHead(503).end(); // The database is not there.
    }
  }

  const server = createServer((request, response) => void handle(request, response));
  const { endpoint, stop } = await startServer(server, 0);
  return {
    endpoint,
    async stop() {
      await stop();
      http.destroy();
    },
  };
}
