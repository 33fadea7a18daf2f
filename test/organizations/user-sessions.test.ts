import { expect, test } from 'vitest';
import { sessionIdOf, sessionsClient } from '../auth/sessions-client.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { everyPage, failure, outcome } from '../harness/world.ts';

const world = await setUpWorld();
const { product, superadmin, admin, head, rep, foreigner } = world;
const { logIn } = sessionsClient(product);

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
  expect(pages.map(({ _id }) => _id)).toEqual([sessionIdOf(phone), sessionIdOf(person)]);
});

test('Once the ADMIN has signed the member out, no session is left', async () => {
  const person = await product.newColleague(admin);
  await product.call('sign-out-user', { token: admin.token, path: { id: person.userId } });
  expect(idsOf(await list(admin, person))).toEqual([]);
});

test('Nobody below ADMIN sees sessions of others, and nobody those of another organization', async () => {
  const refusal = 'You may see only your own sessions; those of others require the role ADMIN or SUPERADMIN.';
  expect(outcome(await list(head, rep))).toEqual(failure(403, refusal));
  expect(outcome(await list(rep, admin))).toEqual(failure(403, refusal));
  expect(idsOf(await list(rep, rep))).toEqual([sessionIdOf(rep)]);
  expect(outcome(await list(admin, foreigner))).toEqual(failure(404, 'User not found'));
  expect(outcome(await list(admin, { userId: 'nobody' }))).toEqual(outcome(await list(admin, foreigner)));
  const there = { 'x-organization-id': foreigner.organizationId };
  expect(idsOf(await list(superadmin, foreigner, there))).toEqual([sessionIdOf(foreigner)]);
});

test('An ADMIN does not see the sessions of a SUPERADMIN', async () => {
  const above = await product.newSuperadmin(admin);
  expect(await list(admin, above)).toMatchObject({
    status: 403,
    body: { message: 'Only a SUPERADMIN may see the sessions of a SUPERADMIN.' },
  });
  expect((await list(above, above)).body.data).toMatchObject([{ current: true }]);
});
