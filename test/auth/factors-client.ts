import { createHmac } from 'node:crypto';
import { Secret } from 'otpauth';
import type { ApiResponse, Call } from '../harness/call.ts';
import { type Person, type Product, password } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';

/** The code that an app shows at this time. Source: RFC 6238, with the truncation of RFC 4226, 5.3. */
export function codeAt(secret: string, at: Date): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at.getTime() / 30_000)));
  const digest = createHmac('sha1', Secret.fromBase32(secret).bytes).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** A code that no app shows around this time. */
export function wrongCodeAt(secret: string, at: Date, n = 0): string {
  const near = [-1, 0, 1].map((steps) => codeAt(secret, new Date(at.getTime() + steps * 30_000)));
  return (
    Array.from({ length: 10 }, (_, each) => String((n + each) % 1_000_000).padStart(6, '0')).find(
      (code) => !near.includes(code),
    ) ?? ''
  );
}

/** The answer to a wrong code at the second step of a login. */
export const wrongAtLogin = {
  status: 401,
  body: { error: 'The code is wrong or was used before.', code: 'INVALID_CREDENTIALS' },
};

/** The answer to a wrong code elsewhere. */
export const wrong = {
  status: 400,
  body: {
    error:
      'The code is wrong or was used before. Send the code that your app shows now, and check the clock of your device.',
    code: 'WRONG_CODE',
  },
};

/** A confirmed factor, as its user knows it. */
export interface OwnFactor {
  readonly id: string;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

type Sender = Pick<Person, 'token'>;

export function factorsClient(product: Product) {
  const setUp = (by: Sender, at?: Date) =>
    product.call('create-factor', { token: by.token, body: { type: 'totp' }, at });
  const confirm = (by: Sender, id: string, code: string, at?: Date) =>
    product.call('confirm-factor', { token: by.token, path: { id }, body: { code }, at });
  const logIn = (email: string, more: Omit<Call, 'body'> = {}): Promise<ApiResponse> =>
    product.call('login', { body: { email, password }, ...more });
  return {
    setUp,
    confirm,
    logIn,
    /** Sets up a factor and confirms it with the code of this time. */
    async own(by: Sender, at = new Date()): Promise<OwnFactor> {
      const { _id: id, secret } = expectStatus(await setUp(by, at), 201);
      const { recoveryCodes } = expectStatus(await confirm(by, id, codeAt(secret, at), at), 200);
      return { id, secret, recoveryCodes };
    },
    list: async (by: Sender) =>
      expectStatus(await product.call('list-factors', { token: by.token }), 200).data,
    remove: (by: Sender, id: string, body: object, at?: Date) =>
      product.call('delete-factor', { token: by.token, path: { id }, body, at }),
    /** The token that a login with the right password returns for the second step. */
    mfaToken: async (email: string, at?: Date): Promise<string> =>
      expectStatus(await logIn(email, { at }), 200).mfaToken,
    second: (mfaToken: string, code: string, more: Omit<Call, 'body'> = {}) =>
      product.call('login-with-factor', { body: { mfaToken, code }, ...more }),
  };
}
