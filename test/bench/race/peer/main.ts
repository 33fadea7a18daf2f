// The peer: what a team that starts with Fastify and PostgreSQL would build. A process of its own, which takes its settings as an
// argument, sends its parent the port that it listens on, and ends with the parent.
import { fastify } from 'fastify';
import { Pool, type PoolConfig } from 'pg';
import { accessTokens, serveAccounts } from './accounts.ts';
import { serveContacts } from './contacts.ts';
import type { Totals } from './statements.ts';
import { serveWebhooks } from './webhooks.ts';

export interface PeerOptions {
  readonly database: PoolConfig;
  readonly totals: Totals;
  /** The secret of the access tokens, in hexadecimal digits. */
  readonly secret: string;
}

/** PostgreSQL's error code for a violated unique constraint. */
const uniqueViolation = '23505';

const { database, totals, secret } = JSON.parse(process.argv[2] ?? '') as PeerOptions;
const pool = new Pool({ ...database, max: 16 });
const tokens = await accessTokens(Buffer.from(secret, 'hex'));
const server = fastify();
server.get('/api/health', {
  schema: { response: { 200: { type: 'object', properties: { status: { type: 'string' } } } } },
  handler: () => ({ status: 'ok' }),
});
server.setErrorHandler((error: Error & { code?: string; statusCode?: number }, _request, reply) => {
  const status = error.code === uniqueViolation ? 409 : (error.statusCode ?? 500);
  return reply.code(status).send({ message: error.message });
});
serveAccounts(server, pool, tokens);
serveContacts(server, pool, tokens, totals);
serveWebhooks(server, pool);
process.send?.(await server.listen({ host: '127.0.0.1', port: 0 }));
process.on('disconnect', () => process.exit());
