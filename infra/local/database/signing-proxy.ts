import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { DatabaseCredentials } from '../credentials.ts';
import type { Credentials } from '../environment.ts';
import { admittedBody } from '../guard.ts';
import { type LocalServer, startServer } from '../listening.ts';
import { signedRequests } from './signed-requests.ts';

/** The response headers that clients read. */
const passedBack = ['content-type', 'x-amz-crc32', 'x-amzn-requestid'];

/**
 * A proxy for a database that somebody else has started and that requires credentials of its own: it accepts requests signed with the
 * host's credentials and signs them again with the database's. Those may be a person's credentials for AWS, so no function, file or tool
 * gets them.
 */
export async function startSigningProxy(options: {
  endpoint: string;
  credentials: Credentials;
  databaseCredentials: DatabaseCredentials;
}): Promise<LocalServer> {
  const database = signedRequests(options.endpoint, options.databaseCredentials);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await admittedBody(request, response, options.credentials);
    if (body === undefined) {
      return;
    }
    const { 'x-amz-target': target, 'content-type': contentType } = request.headers;
    try {
      const upstream = await database.send(String(target ?? ''), contentType ?? '', body);
      const content = await buffer(upstream.body);
      const headers = passedBack.map((name) => [name, upstream.headers[name]]);
      response.writeHead(upstream.statusCode, Object.fromEntries(headers.filter(([, value]) => value)));
      response.end(content);
    } catch {
      response.writeHead(503).end(); // The database is unreachable.
    }
  }

  const server = createServer((request, response) => void handle(request, response));
  const { endpoint, stop } = await startServer(server, 0);
  return {
    endpoint,
    async stop() {
      await stop();
      database.close();
    },
  };
}
