import { afterAll, beforeAll, expect, it } from 'vitest';
import { grantSuperadmin } from '../../infra/grant-superadmin.ts';
import { type Product, password, startProduct } from '../harness/product.ts';

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.stop());

it('makes a registered user a SUPERADMIN from the next refresh and login on', async () => {
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

it('says that nobody has registered with an address', async () => {
  await expect(grantSuperadmin('nobody@example.com', { TABLE_NAME: product.tableName })).rejects.toThrow(
    'Nobody has registered as nobody@example.com. Register first.',
  );
});
