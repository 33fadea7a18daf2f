import { expect, test } from 'vitest';
import { type Role, reaches, roles } from '../../shared/kernel/caller.ts';
import { refusals } from '../../shared/kernel/failure.ts';
import { after, second } from '../../shared/kernel/time.ts';
import { onlyReads } from '../../shared/kernel/uses.ts';
import { eventually } from '../harness/eventually.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, outcome } from '../harness/tenants.ts';
import { operationsWithCases } from './operations.ts';

const all = await operationsWithCases();

/** The operations that look at the stored user: those that write, and those that require an ADMIN. */
const looking = all.filter(
  ({ operation }) =>
    operation.minimumRole !== 'anyone' && (!onlyReads(operation) || reaches(operation.minimumRole, 'ADMIN')),
);

/** Those with a caller that only read, whatever their method says. */
const reading = all.filter(
  ({ operation }) =>
    operation.minimumRole !== 'anyone' && !operation.route.startsWith('GET ') && onlyReads(operation),
);

const tenants = await setUpTenants();
const { product, admin, superadmin, rep, otherRep } = tenants;
const table = setUpFaultyTable();

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

const disabled = await Promise.all(roles.map((role) => former(role, { disabled: true })));
const demoted = await Promise.all(
  roles.filter((role) => role !== 'SALES_REP').map((role) => former(role, { accessRole: 'SALES_REP' })),
);

/** As for a forged token. */
const unknownToken = { status: 401, body: refusals.invalid };

const lostRole = expect.objectContaining({ status: 403 });

/** The messages that wait in queues. */
const waiting = () => Object.values(product.queues).flatMap((queue) => queue.waiting);

function forgetMessages(): void {
  for (const queue of Object.values(product.queues)) {
    queue.take();
  }
}

/** What every operation that looks at the stored user answers: by the role of the token, and by what became of the user since. */
for (const { name, operation, accessCase } of looking) {
  const lowest = operation.minimumRole === 'anyone' ? 'SALES_REP' : operation.minimumRole;
  const sent = async (by: Person, { token }: Person) =>
    product.call(name, { ...(await accessCase.request(tenants, by)), token });

  test(`${name} refuses everyone who was disabled 10 seconds ago like a forged token, unless the role was too low`, async () => {
    const request = await accessCase.request(tenants, rep);
    forgetMessages();
    for (const { role, token } of disabled) {
      const response = await product.call(name, { ...request, token });
      expect(outcome(response)).toEqual(reaches(role, lowest) ? unknownToken : lostRole);
      expect(response.consumed?.writeUnits).toBe(0);
      expect(waiting()).toEqual([]);
    }
  });

  test(`${name} treats everyone who was demoted to a SALES_REP 10 seconds ago as one`, async () => {
    const { status } = await sent(rep, otherRep);
    forgetMessages();
    for (const person of demoted) {
      expect((await sent(rep, person)).status).toBe(status);
      expect(status === 403 ? waiting() : []).toEqual([]);
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

test('A role that was raised comes with the next token, at once, and the old token opens nothing more', async () => {
  const person = await product.newColleague(admin);
  const preferences = { token: person.token, body: { calls: true } };
  // The process remembers the former role.
  await arrange(product.call('update-notification-preferences', preferences));
  await arrange(change(person, { accessRole: 'ADMIN' }));
  const create = (token: string) =>
    product.call('create-department', { token, body: { name: `Department ${person.userId}` } });
  expect((await create(person.token)).status).toBe(403);
  const { token } = await arrange(product.call('refresh', { body: { refreshToken: person.refreshToken } }));
  expect((await create(token)).status).toBe(201);
});

test('A user who is enabled again is let in at once', async () => {
  const person = await former('ADMIN', { disabled: true });
  const open = () => product.call('list-outreach-configurations', { token: person.token });
  expect((await open()).status).toBe(401);
  await arrange(change(person, { disabled: false }));
  expect((await open()).status).toBe(200);
});

test('Who was dismissed may still read until the token expires', async () => {
  const { token } = await former('SALES_REP', { disabled: true });
  expect((await product.call('list-templates', { token })).status).toBe(200);
});

test('An operation reads while the stored user is looked at, and writes nothing before that is known', async () => {
  const person = await product.newColleague(admin);
  const { token } = person;
  const body = { name: 'Welcome', template: 'Hi {{firstName}}', type: 'sms' };
  const { _id: id } = (await arrange(product.call('create-template', { token, body }))).data;
  const held = Promise.withResolvers<void>();
  table.clear();
  table.next('GetItemCommand', async (next) => {
    await held.promise;
    return next();
  });
  const at = after(new Date(), 10 * second);
  const edited = product.call('update-template', { token, path: { id }, body: { name: 'Farewell' }, at });
  await eventually(() => table.tries('BatchGetItemCommand').length > 0);
  expect(table.tries('GetItemCommand')).toHaveLength(1);
  await arrange(change(person, { disabled: true }));
  held.resolve();
  expect((await edited).status).toBe(401);
  const templates = await arrange(product.call('list-templates', { token }));
  expect(templates).toContainEqual(expect.objectContaining({ _id: id, name: 'Welcome' }));
});

test('No operation with a caller sends through a port that does not wait for the look, but for agents, whose requests are looked at', () => {
  const hasty = { mail: 'send', sms: 'send', sockets: 'post', ownRequests: 'forward', givenUp: 'erase' };
  const users = looking.concat(reading).filter(({ operation }) => {
    const uses: Record<string, string> = operation.uses;
    return Object.entries(hasty).some(([port, access]) => uses[port] === access);
  });
  expect(users.map(({ name }) => name)).toEqual(['use-tools']);
});

test('Of the requests whose method is not GET, boards, previews, simulations, socket tokens and messages of agents only read', () => {
  const names = reading.map(({ name }) => name).sort();
  expect(names).toEqual([
    'create-socket-token',
    'list-contacts-by-stage',
    'preview-missed-call',
    'simulate-workflow',
    'use-tools',
  ]);
});
