import { expect, test } from 'vitest';
import { setUpWorld } from '../harness/fixtures.ts';
import { setDisabled } from '../organizations/client.ts';
import { callsClient, newCall } from './client.ts';

const { product, admin } = await setUpWorld();

test('A user who is disabled discards no call and no contact with it, though the access token is valid still', async () => {
  const rep = await product.newColleague(admin);
  const { callId, contactId } = await newCall(product, rep);
  await setDisabled(product, admin, rep, true);
  const discard = () =>
    product.call('discard-call', {
      token: rep.token,
      path: { callId },
      body: { contactId, deleteContact: true },
      at: new Date(Date.now() + 11_000),
    });
  expect((await discard()).status).toBe(401);
  expect(await callsClient(product, admin).ids()).toHaveLength(1);
  await setDisabled(product, admin, rep, false);
  expect((await discard()).status).toBe(200);
});
