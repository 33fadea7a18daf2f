import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/world.ts';
import { newWebhookClient, webhookClient } from './webhook-client.ts';

const product = await setUpProduct();
const admin = await product.newOrganization();

test('A text message to a number that has moved to another organization or user goes there', async () => {
  const webhook = await newWebhookClient(product, admin, admin);
  const { phoneNumber } = webhook;
  const From = newPhoneNumber();
  expect(expectStatus(await webhook.text({ From }), 200).data.contactId).not.toBeNull();
  const remove = ({ token, organizationId }: typeof admin) =>
    arrange(product.call('remove-phone-number', { token, path: { organizationId, phoneNumber } }));
  await remove(admin);
  expect(expectStatus(await webhook.text({ From }), 200).data.contactId).toBeNull();
  const foreigner = await product.newOrganization();
  await newWebhookClient(product, foreigner, foreigner, { phoneNumber });
  const { data } = expectStatus(await webhook.text({ From }), 200);
  const read = (token: string) => product.call('read-contact', { token, path: { id: data.contactId } });
  expect((await read(admin.token)).status).toBe(404);
  expect((await read(foreigner.token)).body.data.owner).toBe(foreigner.userId);

  await remove(foreigner);
  const colleague = await product.newColleague(foreigner);
  await newWebhookClient(product, foreigner, colleague, { phoneNumber });
  const another = expectStatus(
    await webhookClient(product, phoneNumber).text({ From: newPhoneNumber() }),
    200,
  );
  const { body } = await product.call('read-contact', {
    token: foreigner.token,
    path: { id: another.data.contactId },
  });
  expect(body.data.owner).toBe(colleague.userId);
});
