import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { isWebhookSecret, newWebhookSecret } from '../../functions/outreach/model/standard-webhooks.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/world.ts';
import { configurationKeys, leadsClient } from './leads-client.ts';

const product = await setUpProduct();
const leads = leadsClient(product, await product.newOrganization());

const create = (body: Record<string, unknown>) =>
  product.call('create-outreach-configuration', { token: leads.admin.token, body });
const read = (id: string) =>
  product.call('read-outreach-configuration', { token: leads.admin.token, path: { id } });

test('The secret of a configuration is made on request and shown at creation only', async () => {
  const { data } = expectStatus(await create({ name: 'Signed', secret: true }), 201);
  const { secret, ...rest } = data;
  expect(isWebhookSecret(secret)).toBe(true);
  expect(rest.hasSecret).toBe(true);
  expect((await read(data._id)).body.data).toEqual(rest);
  const listed = await product.call('list-outreach-configurations', { token: leads.admin.token });
  expect(JSON.stringify(listed.body)).not.toContain('whsec_');
  const renamed = expectStatus(await leads.change(data._id, { name: 'Renamed' }), 200).data;
  expect(Object.keys(renamed)).toEqual(configurationKeys);
  expect(renamed.hasSecret).toBe(true);
});

test('The secret of a configuration is another one for each configuration', async () => {
  const secrets = await Promise.all(
    Array.from({ length: 5 }, async () => (await leads.configure({ secret: true })).secret),
  );
  expect(new Set(secrets).size).toBe(5);
});

test('The secret of a configuration may be one of your own', async () => {
  const secret = newWebhookSecret(randomBytes);
  expect((await leads.configure({ secret })).secret).toBe(secret);
});

test('The secret of a configuration is rotated, replaced and cleared by an update, which shows it only when it was made', async () => {
  const { _id, secret } = await leads.configure({ secret: true });
  const rotated = expectStatus(await leads.change(_id, { secret: true }), 200).data;
  expect(isWebhookSecret(rotated.secret)).toBe(true);
  expect(rotated.secret).not.toBe(secret);
  const replaced = expectStatus(await leads.change(_id, { secret: newWebhookSecret(randomBytes) }), 200).data;
  expect(Object.keys(replaced)).toEqual(configurationKeys);
  expect(replaced.hasSecret).toBe(true);
  const cleared = expectStatus(await leads.change(_id, { secret: null }), 200).data;
  expect(cleared.hasSecret).toBe(false);
});
