import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Claims } from '../../shared/kernel/caller.ts';
import { type Family, refusals } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { serveHttp } from '../../shared/kernel/serve/serve-http.ts';
import { familyKeys } from '../access/operations.ts';

const expiresAt = Date.parse('2026-05-01T12:00:00Z') / 1_000;

const claims: Claims = {
  userId: '01JZZZZZZZZZZZZZZZZZZZZZZA',
  organizationId: '01JZZZZZZZZZZZZZZZZZZZZZZB',
  role: 'SALES_REP',
  expiresAt,
};

/**
 * What the kernel answers at a time to a request that the gateway annotated without asking the authorizer again: it keeps what the
 * authorizer said while the token was valid.
 */
async function answerAt(time: string, annotation: object = claims, family: Family = 'plain') {
  const runs: string[] = [];
  const readMe = operation({
    route: 'GET /api/me',
    summary: 'Read your own id',
    family,
    minimumRole: 'SALES_REP',
    output: z.object({ userId: z.string() }),
    uses: {},
    async run(_, { caller: { userId } }) {
      runs.push(userId);
      return { userId };
    },
  });
  const providers = { callerRecords: () => ({}) };
  const runtime = { ...systemRuntime, clock: () => new Date(time), log: () => undefined };
  const { statusCode, headers, body } = await serveHttp(
    'read-me',
    readMe,
    providers,
    runtime,
  )({
    rawPath: '/api/me',
    headers: { authorization: 'Bearer kept' },
    requestContext: {
      requestId: 'r',
      http: { method: 'GET', path: '/api/me', sourceIp: '192.0.2.1' },
      authorizer: { lambda: { ...annotation } },
    },
  });
  return { status: statusCode, body: JSON.parse(body), challenge: headers['www-authenticate'], runs };
}

const refused = { status: 401, body: refusals.expired, challenge: 'Bearer', runs: [] };

test('A token that the gateway remembers as valid opens nothing from the second on in which it expires', async () => {
  const { userId } = claims;
  expect(await answerAt('2026-05-01T11:59:59.999Z')).toEqual({
    status: 200,
    body: { userId },
    challenge: undefined,
    runs: [userId],
  });
  expect(await answerAt('2026-05-01T12:00:00.000Z')).toEqual(refused);
  expect(await answerAt('2026-05-01T12:04:59.000Z')).toEqual(refused);
});

test('It does not either where the gateway hands its time of expiry on as a text', async () => {
  const asText = { ...claims, expiresAt: String(expiresAt) };
  expect((await answerAt('2026-05-01T11:59:59.999Z', asText)).status).toBe(200);
  expect(await answerAt('2026-05-01T12:00:00.000Z', asText)).toEqual(refused);
});

test('A token without a time of expiry opens nothing', async () => {
  const { expiresAt: _, ...endless } = claims;
  expect(await answerAt('2026-05-01T11:59:59.999Z', endless)).toEqual({ ...refused, body: refusals.invalid });
});

test.each(Object.keys(familyKeys) as Family[])(
  'The body is that of the contract, whatever shape the errors of the family %s have',
  async (family) => {
    expect(await answerAt('2026-05-01T12:00:00.000Z', claims, family)).toEqual(refused);
  },
);
