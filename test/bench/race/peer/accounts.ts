import type { FastifyInstance, FastifyRequest } from 'fastify';
import { jwtVerify, SignJWT } from 'jose';
import type { Pool } from 'pg';
import { ulid } from 'ulid';
import { nodeArgon2id } from '../../../../shared/kernel/auth/argon2id.ts';
import { argon2Passwords, type Passwords } from '../../../../shared/kernel/auth/passwords.ts';
import { Refusal } from './refusal.ts';
import { findAccount, openSession } from './statements.ts';

/** The caller, according to a verified token. */
export interface Caller {
  readonly userId: string;
  readonly organizationId: string;
}

/** Signs and verifies access tokens with HS256, the fastest algorithm of `jose`, which is safe where one service alone has the secret. */
export async function accessTokens(bytes: Uint8Array<ArrayBuffer>) {
  // Imported once: jose would import plain bytes for each token.
  const secret = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
  return {
    sign: ({ userId, organizationId }: Caller) =>
      new SignJWT({ organizationId })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject(userId)
        .setExpirationTime('24h')
        .sign(secret),
    /** @throws a `Refusal` for a request without a valid token. */
    async callerOf({ headers }: FastifyRequest): Promise<Caller> {
      const token = headers.authorization?.slice('Bearer '.length) ?? '';
      const { payload } = await jwtVerify(token, secret).catch(() => {
        throw new Refusal(401);
      });
      return { userId: payload.sub ?? '', organizationId: String(payload.organizationId) };
    },
  };
}

export type AccessTokens = Awaited<ReturnType<typeof accessTokens>>;

const credentials = {
  type: 'object',
  required: ['email', 'password'],
  properties: { email: { type: 'string', maxLength: 254 }, password: { type: 'string', maxLength: 256 } },
} as const;

const session = {
  type: 'object',
  properties: {
    token: { type: 'string' },
    refreshToken: { type: 'string' },
    user: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        email: { type: 'string' },
        fullName: { type: 'string' },
        organizationId: { type: 'string' },
        accessRole: { type: 'string' },
      },
    },
  },
} as const;

/** Where logins hash with what Node.js has. */
export const nodeHashLogin = '/api/auth/login-with-node-hash';

export function serveAccounts(server: FastifyInstance, pool: Pool, tokens: AccessTokens): void {
  serveLogin('/api/auth/login', argon2Passwords()); // Those of Switchboard, so that both pay the same price.
  serveLogin(nodeHashLogin, argon2Passwords(undefined, nodeArgon2id));

  function serveLogin(path: string, passwords: Passwords): void {
    server.post(path, { schema: { body: credentials, response: { 200: session } } }, async (request) => {
      const { email, password } = request.body as { email: string; password: string };
      const { rows } = await pool.query(findAccount([email.toLowerCase(), request.ip]));
      const [account] = rows;
      if (account?.is_blocked) {
        throw new Refusal(429);
      }
      if (account === undefined || !(await passwords.verify(password, account.password_hash)).matches) {
        throw new Refusal(401);
      }
      const refreshToken = ulid();
      const { id, organization_id: organizationId, role: accessRole } = account;
      const [token] = await Promise.all([
        tokens.sign({ userId: id, organizationId }),
        pool.query(openSession([refreshToken, id])),
      ]);
      const fullName = `${account.first_name} ${account.last_name}`;
      return {
        token,
        refreshToken,
        user: { id, email: account.email, fullName, organizationId, accessRole },
      };
    });
  }
}
