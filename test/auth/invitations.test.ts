import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { InvocationScope } from '../../shared/kernel/ports.ts';
import { day, after as later, minute } from '../../shared/kernel/time.ts';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import { userKey } from '../../shared/organizations/user.ts';
import type { Key } from '../../shared/table/key.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { countStatuses, expectStatus } from '../harness/tenants.ts';
import { mailClient } from './mail-client.ts';
import { addDepartment, changeUser, readUser } from './records.ts';
import { sessionsClient } from './sessions-client.ts';

const product = await setUpProduct();
const { refresh } = sessionsClient(product);
product.providers.trialPolicy = () => trialPolicies.open;
const { settle, invite, invited, accept, list, logIn, signedIn, latestToken } = await mailClient(product);
const admin = await product.newOrganization();
const superadmin = await product.newSuperadmin();

const newAddress = () => `${randomUUID()}@example.com`;
const remove = (id: string) => product.call('delete-invitation', { token: admin.token, path: { id } });
const statusIn = async (id: string, at?: Date) => {
  const { body } = await list(at === undefined ? admin : await signedIn(admin, at), at);
  return body.data.find((one: { _id: string }) => one._id === id);
};
const invalid = {
  error: 'The link is invalid, expired or already used. Ask for a new one.',
  code: 'INVALID_TOKEN',
};

test('Somebody who is invited follows the link in the email, chooses a name and a password, and is signed in with the role and departments of the invitation', async () => {
  const department = await addDepartment(product, admin.organizationId);
  const email = newAddress();
  const response = await invite(admin, {
    email: email.toUpperCase(),
    role: 'DEPARTMENT_HEAD',
    departmentIds: [department, department],
  });
  expect(response).toMatchObject({
    status: 201,
    body: {
      success: true,
      data: {
        email,
        role: 'DEPARTMENT_HEAD',
        departmentIds: [department],
        status: 'pending',
        mailStatus: 'queued',
        invitedBy: admin.userId,
      },
    },
  });
  await settle();
  expect(product.mail.to(email)).toMatchObject([
    {
      subject: 'You have been invited to Switchboard',
      text: expect.stringMatching(/^"Test Person" invites you to join "Test Person's organization" on/),
    },
  ]);
  const { _id } = response.body.data;
  expect(await statusIn(_id)).toMatchObject({ status: 'pending', mailStatus: 'sent' });

  const accepted = expectStatus(await accept(latestToken(email)), 201);
  expect(accepted).toMatchObject({
    user: { email, fullName: 'Grace Hopper', accessRole: 'DEPARTMENT_HEAD' },
    sessionConfig: { enabled: true },
  });
  const { id: userId, organizationId } = accepted.user;
  expect(organizationId).toBe(admin.organizationId);
  expect(await readUser(product, { organizationId, userId })).toMatchObject({ departmentIds: [department] });
  expect((await refresh(accepted.refreshToken)).status).toBe(200);
  expect((await logIn(email, password)).status).toBe(200);
  expect(await statusIn(_id)).toMatchObject({ status: 'accepted', userId, acceptedAt: expect.any(String) });
});

test('A taken address is 409, a role above your own 403, and an unknown department 404', async () => {
  const colleague = await product.newColleague(admin);
  const elsewhere = await product.newOrganization();
  for (const { email } of [colleague, elsewhere]) {
    expect(await invite(admin, { email })).toMatchObject({
      status: 409,
      body: { success: false, message: expect.stringContaining('already exists') },
    });
  }
  expect((await invite(admin, { email: newAddress(), role: 'SUPERADMIN' })).status).toBe(403);
  const email = newAddress();
  expect((await invite(admin, { email, departmentIds: ['nothing'] })).status).toBe(404);
  expect((await invite(colleague, { email })).status).toBe(403);
  expect((await invite(admin, { email: 'no address' })).status).toBe(400);
  await settle();
  expect(product.mail.to(email)).toEqual([]);
});

test('A SUPERADMIN invites into the organization that a header names, even another SUPERADMIN', async () => {
  const email = newAddress();
  const headers = { 'x-organization-id': admin.organizationId };
  expectStatus(await invite(superadmin, { email, role: 'SUPERADMIN' }, { headers }), 201);
  await settle();
  const { user } = expectStatus(await accept(latestToken(email)), 201);
  expect(user).toMatchObject({ organizationId: admin.organizationId, accessRole: 'SUPERADMIN' });
});

test('A token works once, and for 7 days by the stored time; a used, old or invented one gets 400', async () => {
  const { id, token } = await invited(admin, { email: newAddress() });
  const now = new Date();
  for (const wrong of ['', 'garbage', `${admin.organizationId}.${id}.${'A'.repeat(43)}`, `${token}A`]) {
    expect(await accept(wrong)).toMatchObject({ status: 400, body: invalid });
  }
  const tooLate = later(now, 7 * day + minute);
  expect(await accept(token, {}, tooLate)).toMatchObject({ status: 400, body: invalid });
  expect(await statusIn(id, tooLate)).toMatchObject({ status: 'expired', mailStatus: 'sent' });
  expect((await accept(token, { password: 'short' })).body).toMatchObject({ code: 'INVALID' });
  expect((await accept(token, { firstName: ' ' })).body).toMatchObject({ code: 'INVALID' });
  expect((await accept(token, {}, later(now, 7 * day - minute))).status).toBe(201);
  expect(await accept(token)).toMatchObject({ status: 400, body: invalid });
  // What has made an account is not deleted.
  expect(await remove(id)).toMatchObject({ status: 409, body: { success: false } });
});

test('One of 50 simultaneous acceptances succeeds', async () => {
  const email = newAddress();
  const { token } = await invited(admin, { email });
  const responses = await Promise.all(Array.from({ length: 50 }, () => accept(token)));
  expect(countStatuses(responses)).toEqual({ 201: 1, 400: 49 });
  expect((await logIn(email, password)).status).toBe(200);
});

test('Inviting an address again replaces the earlier invitation, whose link stops working', async () => {
  const email = newAddress();
  const first = await invited(admin, { email, role: 'ADMIN' });
  const second = await invited(admin, { email, role: 'SALES_REP' });
  expect(await statusIn(first.id)).toBeUndefined();
  expect(await accept(first.token)).toMatchObject({ status: 400, body: invalid });
  expect(expectStatus(await accept(second.token), 201).user.accessRole).toBe('SALES_REP');
});

test('One of several simultaneous invitations of an address remains', async () => {
  const email = newAddress();
  const responses = await Promise.all(Array.from({ length: 10 }, () => invite(admin, { email })));
  expect(countStatuses(responses)).toEqual({ 201: 10 });
  const { body } = await list(admin);
  expect(body.data.filter((one: { email: string }) => one.email === email)).toHaveLength(1);
  await settle();
  expect(product.mail.to(email)).toHaveLength(1);
  expect((await accept(latestToken(email))).status).toBe(201);
});

test('The link of a deleted invitation stops working, and an email that waits is not sent', async () => {
  const { id, token } = await invited(admin, { email: newAddress() });
  expect(await remove(id)).toMatchObject({ status: 200, body: { message: 'Invitation deleted' } });
  expect(await accept(token)).toMatchObject({ status: 400, body: invalid });
  expect((await remove(id)).status).toBe(404);
  expect(await statusIn(id)).toBeUndefined();

  const email = newAddress();
  await remove((await invite(admin, { email })).body.data._id);
  await settle();
  expect(product.mail.to(email)).toEqual([]);
});

test('An invitation that is accepted while it is deleted is either gone or has made an account', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { body } = await invite(admin, { email: newAddress() });
      return { id: body.data._id, email: body.data.email };
    }),
  );
  await settle();
  const pairs = await Promise.all(
    outcomes.map(async ({ id, email }) => {
      const [accepted, deleted] = await Promise.all([accept(latestToken(email)), remove(id)]);
      return `accepted ${accepted.status}, deleted ${deleted.status}`;
    }),
  );
  for (const pair of pairs) {
    expect(['accepted 201, deleted 409', 'accepted 400, deleted 200']).toContain(pair);
  }
});

test('The invitation of somebody who is disabled or demoted meanwhile makes nobody', async () => {
  for (const [changes, status] of [
    [{ disabled: true }, 403],
    [{ accessRole: 'DEPARTMENT_HEAD' }, 403],
    [{ accessRole: 'SUPERADMIN' }, 201],
  ] as const) {
    for (const role of ['ADMIN', 'SALES_REP']) {
      const inviter = await product.newColleague(admin, 'ADMIN');
      const { token } = await invited(inviter, { email: newAddress(), role });
      await changeUser(product, inviter, changes);
      const response = await accept(token);
      expect(response.status).toBe(status);
      if (status === 403) {
        expect(response.body.code).toBe('FORBIDDEN');
      }
      await changeUser(product, inviter, { disabled: false, accessRole: 'ADMIN' });
      expect((await accept(token)).status).toBe(status === 403 ? 201 : 400);
    }
  }
});

test('Somebody who is demoted while an invitation of theirs is being accepted makes no account', async () => {
  const inviter = await product.newColleague(admin, 'ADMIN');
  const email = newAddress();
  const { token } = await invited(inviter, { email, role: 'ADMIN' });
  const organizations = product.providers.organizations as (
    scope: InvocationScope,
  ) => (id: string) => TableWriter;
  let demoted: ReturnType<typeof product.call> | undefined;
  product.providers.organizations = (scope) => (id: string) => {
    const table = organizations(scope)(id);
    return {
      ...table,
      async read<Data>(key: Key<Data>) {
        const stored = await table.read(key);
        if (key.sort.join() === userKey(inviter.userId).sort.join()) {
          // After the look at the inviter, before the account is written.
          product.providers.organizations = organizations;
          demoted ??= product.call('update-user', {
            token: admin.token,
            path: { id: inviter.userId },
            body: { accessRole: 'SALES_REP' },
          });
          await demoted;
        }
        return stored;
      },
    };
  };
  const accepted = await accept(token);
  expect((await demoted)?.status).toBe(200);
  expect(accepted.status).toBe(403);
  expect((await logIn(email, password)).status).toBe(401);
});

test('A department that is deleted meanwhile is left out, and one that is deleted at the same moment, too', async () => {
  const [kept, gone] = await Promise.all(
    ['North', 'South'].map(async (name) => {
      const body = { name: `${name} ${randomUUID()}` };
      return (await product.call('create-department', { token: admin.token, body })).body.data._id;
    }),
  );
  const { token } = await invited(admin, { email: newAddress(), departmentIds: [kept, gone] });
  const path = { id: gone };
  const [accepted, deleted] = await Promise.all([
    accept(token),
    product.call('delete-department', { token: admin.token, path }),
  ]);
  const { user } = expectStatus(accepted, 201);
  const joined = await readUser(product, { organizationId: admin.organizationId, userId: user.id });
  expect(joined?.departmentIds).toEqual(deleted.status === 200 ? [kept] : [kept, gone]);
});

test('If the address has got an account meanwhile, accepting is 409 and inviting too', async () => {
  const email = newAddress();
  const { token } = await invited(admin, { email });
  const body = { email, password, firstName: 'Ada', lastName: 'Byron' };
  expectStatus(await product.call('register', { body }), 201);
  expect(await accept(token)).toMatchObject({
    status: 409,
    body: {
      error: 'You already have an account with this email address. Log in with it.',
      code: 'CONFLICT',
    },
  });
  expect((await invite(admin, { email })).status).toBe(409);
});

test('Of an acceptance and a registration of the same address at once, one makes the account', async () => {
  for (let round = 0; round < 10; round += 1) {
    const email = newAddress();
    const { token } = await invited(admin, { email });
    const body = { email, password, firstName: 'Ada', lastName: 'Byron' };
    const responses = await Promise.all([accept(token), product.call('register', { body })]);
    expect(countStatuses(responses)).toEqual({ 201: 1, 409: 1 });
    expect((await logIn(email, password)).status).toBe(200);
  }
});
