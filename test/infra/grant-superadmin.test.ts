import { expect, test } from 'vitest';
import { grantSuperadmin } from '../../infra/grant-superadmin.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { password } from '../harness/product.ts';

const product = await setUpProduct();

test('grant-superadmin makes a registered user a SUPERADMIN from the next refresh and login on', async () => {
  const person = await product.newOrganization();
  await grantSuperadmin(person.email.toUpperCase(), { TABLE_NAME: product.tableName });
  const refreshed = await product.call('refresh', { body: { refreshToken: person.refreshToken } });
  expect(refreshed.body.user.accessRole).toBe('SUPERADMIN');
  const login = await product.call('login', { body: { email: person.email, password } });
  const other = await product.newOrganization();
  const board = await product.call('list-contacts-by-stage', {
    token: login.body.token,
    headers: { 'x-organization-id': other.organizationId },
  });
  expect(board.status).toBe(200);
});
