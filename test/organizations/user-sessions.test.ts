import { expect, test } from 'vitest';
import { sessionIdIn, sessionsClient } from '../auth/sessions-client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { everyPage, failure, outcome } from '../harness/tenants.ts';

const tenants = await setUpTenants();
const { product, superadmin, admin, head, rep } = tenants;
const { refresh, logIn } = sessionsClient(product);

const list = (by: Person, { userId: id }: Pick<Person, 'userId'>, headers: Record<string, string> = {}) =>
  product.call('list-user-sessions', { token: by.token, path: { id }, headers });
const idsOf = (response: Awaited<ReturnType<typeof list>>) =>
  response.body.data.map(({ _id }: { _id: string }) => _id);

test('An ADMIN sees the sessions of a member as the member does, but for which one is current', async () => {
  const person = await product.newColleague(admin);
  const phone = await logIn(person);
  const response = await list(admin, person);
  const own = await product.call('list-sessions', { token: phone.token });
  expect(own.body.data.map(({ current }: { current: boolean }) => current)).toEqual([true, false]);
  expect(response.body).toEqual({
    ...own.body,
    data: own.body.data.map((session: object) => ({ ...session, current: false })),
  });
  const pages = await everyPage<{ _id: string }>((query) =>
    product.call('list-user-sessions', {
      token: admin.token,
      path: { id: person.userId },
      query: { limit: '1', ...query },
    }),
  );
  expect(pages.map(({ _id }) => _id)).toEqual([sessionIdIn(phone), sessionIdIn(person)]);
});

test('Once the ADMIN has signed the member out, no session is left', async () => {
  const person = await product.newColleague(admin);
  await product.call('sign-out-user', { token: admin.token, path: { id: person.userId } });
  expect(idsOf(await list(admin, person))).toEqual([]);
});

test('An ADMIN does not see the sessions of a SUPERADMIN', async () => {
  const above = await product.newSuperadmin(admin);
  expect(await list(admin, above)).toMatchObject({
    status: 403,
    body: { message: 'Only a SUPERADMIN may see the sessions of a SUPERADMIN.' },
  });
  expect((await list(above, above)).body.data).toMatchObject([{ current: true }]);
});

const signOut = (by: Person, { userId: id }: Pick<Person, 'userId'>, headers: Record<string, string> = {}) =>
  product.call('sign-out-user', { token: by.token, path: { id }, headers });
const isOver = async ({ refreshToken }: { refreshToken: string }) =>
  (await refresh(refreshToken)).status === 401;

test('A user whom an ADMIN signs out can refresh no session, and a login after it goes on', async () => {
  const person = await product.newColleague(admin);
  const others = [await logIn(person), await logIn(person)];

  const response = await signOut(admin, person);

  expect(outcome(response)).toEqual({ status: 200, body: { success: true, message: 'User signed out' } });
  for (const session of [person, ...others]) {
    expect(await isOver(session)).toBe(true);
  }
  const later = await logIn(person);
  expect(await isOver(later)).toBe(false);
  // Within the same minute, too.
  const last = await logIn(person);
  await signOut(admin, person);
  expect(await isOver(last)).toBe(true);
  expect(await isOver(await logIn(person))).toBe(false);
});

test('A session that is refreshed again and again while its user is signed out ends', async () => {
  const person = await product.newColleague(admin);
  const renewing = async () => {
    let { refreshToken } = person;
    for (
      let response = await refresh(refreshToken);
      response.status === 200;
      response = await refresh(refreshToken)
    ) {
      refreshToken = response.body.refreshToken;
    }
    return refreshToken;
  };
  const [last] = await Promise.all([renewing(), signOut(admin, person)]);
  expect(await isOver({ refreshToken: last })).toBe(true);
});

test('Everybody signs out themselves, everywhere', async () => {
  for (const person of [
    await product.newColleague(admin),
    await product.newColleague(admin, 'DEPARTMENT_HEAD'),
  ]) {
    const other = await logIn(person);
    expect((await signOut(person, person)).status).toBe(200);
    expect([await isOver(person), await isOver(other)]).toEqual([true, true]);
  }
});

test('Others are signed out by an ADMIN up to that role, and a SUPERADMIN by a SUPERADMIN alone', async () => {
  const onlyAdmins = failure(
    403,
    'You may sign out only yourself; signing out others requires the role ADMIN or SUPERADMIN.',
  );
  for (const [by, of] of [
    [rep, head],
    [head, rep],
    [rep, admin],
  ] as const) {
    expect(outcome(await signOut(by, of))).toEqual(onlyAdmins);
  }
  const above = await product.newColleague(admin);
  const here = { 'x-organization-id': admin.organizationId };
  const body = { accessRole: 'SUPERADMIN' };
  await product.call('update-user', {
    token: superadmin.token,
    headers: here,
    path: { id: above.userId },
    body,
  });
  expect(outcome(await signOut(admin, above))).toEqual(
    failure(403, 'Only a SUPERADMIN may sign out a SUPERADMIN.'),
  );
  expect(await isOver(above)).toBe(false);
  expect((await signOut(superadmin, above, here)).status).toBe(200);
  expect((await signOut(admin, await product.newColleague(admin, 'ADMIN'))).status).toBe(200);
});
