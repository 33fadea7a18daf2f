import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestTo,
  type ServerResponse,
} from 'node:http';
import type { Credentials } from '../environment.ts';
import { readAdmittedBody } from '../guard.ts';
import { type LocalServer, startServer } from '../listening.ts';

/** The request headers that the embedded database needs. */
const passedOn = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target'];

/**
 * The embedded database for programs that are not the host's own. The database itself accepts any signature and lets pages of any origin
 * read its responses, so it listens where no page can reach it. This proxy checks signatures and refuses pages.
 */
export async function startDatabaseProxy(options: {
  endpoint: string;
  credentials: Credentials;
}): Promise<LocalServer> {
  const { endpoint, credentials } = options;
  const agent = new Agent({ keepAlive: true });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAdmittedBody(request, response, credentials);
    if (body === undefined) {
      return;
    }
    const headers = Object.fromEntries(passedOn.map((name) => [name, String(request.headers[name] ?? '')]));
    const passed = requestTo(endpoint, { agent, method: 'POST', headers }, (upstream) => {
      const given = Object.entries(upstream.headers).filter(([name]) => !name.startsWith('access-control-'));
      response.writeHead(upstream.statusCode ?? 502, Object.fromEntries(given));
      upstream.pipe(response);
    });
    passed.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(503).end()));
    passed.end(body);
  }

  const server = createServer((request, response) => void handle(request, response));
  const { endpoint: guarded, stop } = await startServer(server, 0);
  return {
    endpoint: guarded,
    async stop() {
      await stop();
      agent.destroy();
    },
  };
}
