import { expect, test } from 'vitest';
import { type Role, reaches, roles } from '../../shared/kernel/caller.ts';
import { refusals } from '../../shared/kernel/failure.ts';
import { after, second } from '../../shared/kernel/time.ts';
import { onlyReads } from '../../shared/kernel/uses.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, outcome } from '../harness/world.ts';
import { operationsWithRows } from './operations.ts';

/** The operations that look at the stored user: those that write, and those that require an ADMIN. */
const looking = (await operationsWithRows()).filter(
  ({ operation }) =>
    operation.minimumRole !== 'anyone' && (!onlyReads(operation) || reaches(operation.minimumRole, 'ADMIN')),
);

const world = await setUpWorld();
const { product, admin, head, superadmin, rep, stranger } = world;

const tenSecondsAgo = () => after(new Date(), -10 * second);

const change = (person: Person, body: Record<string, unknown>, at?: Date) =>
  product.call('update-user', {
    token: superadmin.token,
    headers: { 'x-organization-id': person.organizationId },
    path: { id: person.userId },
    body,
    at,
  });

/** Somebody whom the process let in as it remembers, and who lost the role or the account right then, ten seconds ago. */
async function former(role: Role, body: Record<string, unknown>): Promise<Person> {
  const person = await product.newColleague(admin, role);
  const at = tenSecondsAgo();
  const preferences = { token: person.token, body: { calls: true }, at };
  await arrange(product.call('update-notification-preferences', preferences));
  await arrange(change(person, body, at));
  return person;
}

const colleagues = {
  SUPERADMIN: await product.newSuperadmin(admin),
  ADMIN: admin,
  DEPARTMENT_HEAD: head,
  SALES_REP: rep,
};
const whoIs = {
  SUPERADMIN: 'superadmin',
  ADMIN: 'admin',
  DEPARTMENT_HEAD: 'head',
  SALES_REP: 'rep',
} as const;

const disabled = await Promise.all(roles.map((role) => former(role, { disabled: true })));
const demoted = await Promise.all(
  roles.filter((role) => role !== 'SALES_REP').map((role) => former(role, { accessRole: 'SALES_REP' })),
);

/** As for a forged token. */
const unknownToken = { status: 401, body: refusals.invalid };

const lostRole = expect.objectContaining({ status: 403 });

/** What every operation that looks at the stored user answers: by the role of the token, and by what became of the user since. */
for (const { name, operation, row } of looking) {
  const lowest = operation.minimumRole === 'anyone' ? 'SALES_REP' : operation.minimumRole;
  const success = row.status ?? operation.status ?? 200;
  const sent = async (by: Person, { token }: Person) =>
    product.call(name, { ...(await row.request(world, by)), token });

  test.each(roles)(`${name} answers an active %s by the role`, async (role) => {
    const person = colleagues[role];
    const expected = reaches(role, lowest) ? (row.refused?.[whoIs[role]] ?? success) : 403;
    // The rows name a SUPERADMIN who is no colleague, and sends what `rep` would.
    const by = role === 'SUPERADMIN' ? rep : person;
    expect((await sent(by, person)).status).toBe(expected);
  });

  test(`${name} refuses everyone who was disabled 10 seconds ago like a forged token, unless the role was too low`, async () => {
    const request = await row.request(world, rep);
    for (const { role, token } of disabled) {
      const response = await product.call(name, { ...request, token });
      expect(outcome(response)).toEqual(reaches(role, lowest) ? unknownToken : lostRole);
      expect(response.consumed?.writeUnits).toBe(0);
    }
  });

  test(`${name} treats everyone who was demoted to a SALES_REP 10 seconds ago as one`, async () => {
    const { status } = await sent(rep, stranger);
    for (const person of demoted) {
      expect((await sent(rep, person)).status).toBe(status);
    }
  });
}

test('A SUPERADMIN who was demoted acts in no other organization any more, not even to read', async () => {
  const [disabledSuperadmin, demotedSuperadmin] = [
    await product.newSuperadmin(),
    await product.newSuperadmin(),
  ];
  await arrange(change(disabledSuperadmin, { disabled: true }));
  await arrange(change(demotedSuperadmin, { accessRole: 'SALES_REP' }));
  const headers = { 'x-organization-id': admin.organizationId };
  const path = { organizationId: admin.organizationId };
  for (const [{ token }, expected] of [
    [demotedSuperadmin, lostRole],
    [disabledSuperadmin, unknownToken],
  ] as const) {
    expect(outcome(await product.call('list-users', { token, headers }))).toEqual(expected);
    expect(outcome(await product.call('read-organization', { token, path }))).toEqual(expected);
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

test('Who comes with the token of a raised role has that role at once, though the process remembers the former one', async () => {
  const person = await product.newColleague(admin);
  const preferences = { body: { calls: true } };
  await arrange(product.call('update-notification-preferences', { ...preferences, token: person.token }));
  await arrange(change(person, { accessRole: 'ADMIN' }));
  const { token } = await arrange(product.call('refresh', { body: { refreshToken: person.refreshToken } }));
  const body = { name: `Department ${person.userId}` };
  expect((await product.call('create-department', { token, body })).status).toBe(201);
});

test('A user who is enabled again is let in at once', async () => {
  const person = await former('ADMIN', { disabled: true });
  const open = () => product.call('list-outreach-configurations', { token: person.token });
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
