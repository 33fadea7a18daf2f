import { expect, test } from 'vitest';
import { reaches } from '../../shared/kernel/caller.ts';
import { refusals } from '../../shared/kernel/failure.ts';
import { after, second } from '../../shared/kernel/time.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, outcome } from '../harness/world.ts';
import { operationsWithRows } from './operations.ts';

/** The operations that require an ADMIN, and those that delete. */
const dangerous = (await operationsWithRows()).filter(
  ({ operation: { minimumRole, route, deletes } }) =>
    minimumRole !== 'anyone' &&
    (reaches(minimumRole, 'ADMIN') || route.startsWith('DELETE ') || deletes === true),
);

const world = await setUpWorld();
const { product, admin, superadmin, rep, stranger } = world;

const change = (person: Person, body: Record<string, unknown>) =>
  product.call('update-user', {
    token: superadmin.token,
    headers: { 'x-organization-id': person.organizationId },
    path: { id: person.userId },
    body,
  });

/** Somebody who was let in a moment ago, so that the process remembers the role, and then lost it. */
async function former(person: Person, body: Record<string, unknown>): Promise<Person> {
  expectStatus(await product.call('list-outreach-configurations', { token: person.token }), 200);
  await arrange(change(person, body));
  return person;
}

const [disabledAdmin, demotedAdmin, disabledSuperadmin, demotedSuperadmin] = await Promise.all([
  former(await product.newColleague(admin, 'ADMIN'), { disabled: true }),
  former(await product.newColleague(admin, 'ADMIN'), { accessRole: 'SALES_REP' }),
  former(await product.newSuperadmin(), { disabled: true }),
  former(await product.newSuperadmin(), { accessRole: 'SALES_REP' }),
]);

const tenSecondsLater = () => after(new Date(), 10 * second);

/** As for a forged token. */
const unknownToken = { status: 401, body: refusals.invalid };

const lostRole = expect.objectContaining({ status: 403 });

for (const { name, operation, row } of dangerous) {
  const isForSuperadmins = operation.minimumRole === 'SUPERADMIN';

  test(`${name} refuses a user who was disabled like a forged token, 10 seconds later at most`, async () => {
    const { token } = isForSuperadmins ? disabledSuperadmin : disabledAdmin;
    const request = await row.request(world, rep);
    expect(outcome(await product.call(name, { ...request, token, at: tenSecondsLater() }))).toEqual(
      unknownToken,
    );
  });

  test(`${name} treats who was demoted to a SALES_REP as one, 10 seconds later at most`, async () => {
    const { token } = isForSuperadmins ? demotedSuperadmin : demotedAdmin;
    const answerTo = async (sent: string) =>
      product.call(name, { ...(await row.request(world, rep)), token: sent, at: tenSecondsLater() });
    const { status } = await answerTo(stranger.token);
    expect((await answerTo(token)).status).toBe(status);
    expect([403, 404]).toContain(status);
  });
}

test('A SUPERADMIN who was demoted acts in no other organization any more, not even to read', async () => {
  const headers = { 'x-organization-id': admin.organizationId };
  const path = { organizationId: admin.organizationId };
  const at = tenSecondsLater();
  for (const [{ token }, expected] of [
    [demotedSuperadmin, lostRole],
    [disabledSuperadmin, unknownToken],
  ] as const) {
    expect(outcome(await product.call('list-users', { token, headers, at }))).toEqual(expected);
    expect(outcome(await product.call('read-organization', { token, path, at }))).toEqual(expected);
  }
});

test('A role that was raised comes with the next token: the old one opens nothing more', async () => {
  const person = await product.newColleague(admin);
  await arrange(change(person, { accessRole: 'ADMIN' }));
  const refused = await product.call('list-outreach-configurations', { token: person.token });
  expect(refused.status).toBe(403);
  const { token } = await arrange(product.call('refresh', { body: { refreshToken: person.refreshToken } }));
  expect((await product.call('list-outreach-configurations', { token })).status).toBe(200);
});

test('A user who is enabled again is let in at once', async () => {
  const person = await former(await product.newColleague(admin, 'ADMIN'), { disabled: true });
  const open = () =>
    product.call('list-outreach-configurations', { token: person.token, at: tenSecondsLater() });
  expect((await open()).status).toBe(401);
  await arrange(change(person, { disabled: false }));
  expect((await open()).status).toBe(200);
});

test('The look at the role is half a read unit, and nothing for 5 seconds after it', async () => {
  const { token } = await product.newColleague(admin, 'ADMIN');
  const now = new Date();
  const consumedAt = async (milliseconds: number) =>
    (await product.call('list-outreach-configurations', { token, at: after(now, milliseconds) })).consumed;
  const first = await consumedAt(0);
  const later = await consumedAt(4_999);
  expect(first).toMatchObject({ requests: 2, readUnits: (later?.readUnits ?? 0) + 0.5 });
  expect(later).toMatchObject({ requests: 1 });
  expect(await consumedAt(5_000)).toMatchObject({ requests: 2 });
});
