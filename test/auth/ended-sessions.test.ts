import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';
import { setDisabled } from '../organizations/client.ts';
import { changeUser } from './records.ts';
import { refused, sessionsClient } from './sessions-client.ts';

const product = await setUpProduct();
const { refresh } = sessionsClient(product);

test('A disabled user can not refresh, nor with a session of before when enabled again: only a new login goes on', async () => {
  const admin = await product.newOrganization();
  const person = await product.newColleague(admin);
  await setDisabled(product, admin, person, true);

  const response = await refresh(person.refreshToken);
  expect(response).toMatchObject({ status: 401, body: refused, consumed: { writeUnits: 0 } });

  await setDisabled(product, admin, person, false);
  expect(await refresh(person.refreshToken)).toMatchObject({ status: 401, body: refused });
  const { body } = await product.call('login', { body: { email: person.email, password } });
  expect((await refresh(body.refreshToken)).status).toBe(200);
});

test('A session that a login opened while its user was being disabled ends too', async () => {
  const admin = await product.newOrganization();
  const person = await product.newColleague(admin);
  await setDisabled(product, admin, person, true);
  // As such a login leaves it: the user was still enabled when it was read.
  await changeUser(product, person, { disabled: false });
  const { body } = await product.call('login', { body: { email: person.email, password } });
  await changeUser(product, person, { disabled: true });
  await setDisabled(product, admin, person, false);
  expect(await refresh(body.refreshToken)).toMatchObject({ status: 401, body: refused });
});

test('A session goes on when its user gets another role, other departments or an enabling that changes nothing', async () => {
  const admin = await product.newOrganization();
  const person = await product.newColleague(admin);
  for (const body of [
    { accessRole: 'ADMIN' },
    { accessRole: 'SALES_REP', departmentIds: [] },
    { disabled: false },
  ]) {
    const path = { id: person.userId };
    expect((await product.call('update-user', { token: admin.token, path, body })).status).toBe(200);
  }
  expect((await refresh(person.refreshToken)).status).toBe(200);
});

test('A disabled user whose other request has just refreshed is not told to wait for it', async () => {
  const admin = await product.newOrganization();
  const person = await product.newColleague(admin);
  expect((await refresh(person.refreshToken)).status).toBe(200);
  await changeUser(product, person, { disabled: true });

  expect((await refresh(person.refreshToken)).body).toEqual(refused);
});
