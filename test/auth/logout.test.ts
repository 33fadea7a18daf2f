import { expect, test } from 'vitest';
import type { TokenSigner } from '../../shared/kernel/auth/tokens.ts';
import { after, minute } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { tableStream } from '../harness/table-stream.ts';
import { countStatuses } from '../harness/tenants.ts';
import { scope } from './records.ts';
import { refused, sessionsClient, unknownFamily } from './sessions-client.ts';

const product = await setUpProduct();
const { refresh, rotations, logout } = sessionsClient(product);
const done = { success: true, message: 'Logged out' };

test('Logout ends the session, even when an already exchanged token of it is sent', async () => {
  const sessions: [Person['refreshToken'], string][] = [];
  const person = await product.newOrganization();
  sessions.push([person.refreshToken, person.refreshToken]);
  const [used = '', current = ''] = await rotations(1);
  sessions.push([used, current]);

  for (const [sent, usable] of sessions) {
    expect(await logout({ refreshToken: sent })).toMatchObject({ status: 200, body: done });
    expect(await refresh(usable)).toMatchObject({ status: 401, body: refused });
  }
});

test('Whoever logs out, or whose refresh token is used twice, is logged out of live events as well, once', async () => {
  const { texts } = await tableStream(product, () => undefined);
  const endsOf = async ({ userId }: Person) =>
    (await texts()).filter((text) => text.includes('sessions_ended') && text.includes(userId)).length;

  const person = await product.newOrganization();
  const responses = await Promise.all([1, 2, 3].map(() => logout({ refreshToken: person.refreshToken })));
  expect(countStatuses(responses)).toEqual({ 200: 3 });
  expect(await endsOf(person)).toBe(1);
  await logout({ refreshToken: person.refreshToken });
  expect(await endsOf(person)).toBe(1);

  const other = await product.newOrganization();
  expect((await refresh(other.refreshToken)).status).toBe(200);
  expect((await refresh(other.refreshToken, after(new Date(), minute))).status).toBe(401);
  expect(await endsOf(other)).toBe(1);
});

test('Logout has the same response, whatever is sent', async () => {
  const signer = product.providers.tokens?.(scope()) as TokenSigner;
  const unknown = await signer.refreshToken(
    { familyId: unknownFamily, generation: 1, userId: 'nobody', organizationId: 'nowhere' },
    new Date(),
  );
  for (const refreshToken of [unknown, 'garbage', '', null, 7, {}, undefined]) {
    const { status, body } = await logout({ refreshToken });
    expect({ refreshToken, status, body }).toEqual({ refreshToken, status: 200, body: done });
  }
  expect((await refresh(unknown)).status).toBe(401);
});
