import { expect } from 'vitest';
import { type Person, type Product, password } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';

export const newPassword = 'a new horse, another battery';

export const unknownFamily = '01JD0000000000000000000000';

export const refused = {
  error: 'The refresh token is invalid, expired or already used. Log in again.',
  code: 'TOKEN_EXPIRED',
};

export const superseded = {
  error:
    'Another request of this session, perhaps from another tab, has just used this refresh token. Use the tokens it received.',
  code: 'TOKEN_EXPIRED',
  reason: 'superseded',
};

export interface Session {
  readonly token: string;
  readonly refreshToken: string;
  readonly socketToken: string;
}

/** The id of the session that a refresh token belongs to. */
export const sessionIdIn = ({ refreshToken }: Pick<Session, 'refreshToken'>) =>
  refreshToken.split('.')[0] ?? '';

/** The operations on sessions; tokens are exchanged at `start`, unless another time is stated. */
export function sessionsClient(product: Product, start = new Date()) {
  const refresh = (refreshToken: unknown, at = start) =>
    product.call('refresh', { body: { refreshToken }, at });
  const logIn = async (person: Pick<Person, 'email'>, sent = password): Promise<Session> =>
    expectStatus(await product.call('login', { body: { email: person.email, password: sent } }), 200);
  return {
    refresh,
    logIn,
    logout: (body: unknown) => product.call('logout', { body }),
    /** Changes the password to `newPassword`, unless the body says otherwise. */
    change: ({ token }: Pick<Session, 'token'>, body: object = {}, more: object = {}) =>
      product.call('change-password', {
        token,
        body: { currentPassword: password, newPassword, ...body },
        ...more,
      }),
    statusOfLogin: async ({ email }: Pick<Person, 'email'>, sent: string) =>
      (await product.call('login', { body: { email, password: sent } })).status,
    /** A session whose refresh tokens number 1 to `count` have been used; returns all `count + 1`. */
    async rotations(count: number): Promise<string[]> {
      const tokens = [(await product.newOrganization()).refreshToken];
      for (let use = 0; use < count; use += 1) {
        const { status, body } = await refresh(tokens.at(-1));
        expect(status).toBe(200);
        tokens.push(body.refreshToken);
      }
      return tokens;
    },
  };
}
