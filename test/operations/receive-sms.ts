import type { Product } from '../harness/product.ts';
import { accessCase, newPhoneNumber } from '../harness/tenants.ts';
import { newSid, newWebhookClient, type WebhookClient } from '../messages/webhook-client.ts';

/** One number for all requests of a test file: a user has 100 at most, and the fields and odd values together are more. */
const webhooks = new WeakMap<Product, Promise<WebhookClient>>();

export default accessCase({
  subject: 'self',
  request: async ({ product, admin, rep }) => {
    const webhook = webhooks.get(product) ?? newWebhookClient(product, admin, rep);
    webhooks.set(product, webhook);
    const { phoneNumber } = await webhook;
    return {
      path: { provider: 'smsprovider' },
      body: { MessageSid: newSid(), From: newPhoneNumber(), To: phoneNumber, Body: 'Hello', NumMedia: '0' },
    };
  },
  fieldStatuses: { MessageSid: 400 },
});
