import { randomBytes } from 'node:crypto';
import type { Call } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';

export interface Telling extends Pick<Call, 'at' | 'headers' | 'query'> {
  provider?: string;
}

export const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** The answer to a form. Source: decisions 10, "SMS webhook". */
export const emptyResponse = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>';

/** An id as Twilio's. */
export function newSid(): string {
  return `SM${randomBytes(16).toString('hex')}`;
}

export type WebhookClient = ReturnType<typeof webhookClient>;

/** Assigns a number to a user of the organization. */
export async function newWebhookClient(
  product: Product,
  { token, organizationId }: Person,
  { userId }: Person,
  more: Record<string, unknown> = {},
): Promise<WebhookClient> {
  const body = { userId, provider: 'twilio', phoneNumber: newPhoneNumber(), ...more };
  const path = { organizationId };
  const { data } = expectStatus(await product.call('assign-phone-number', { token, path, body }), 201);
  return webhookClient(product, data.phoneNumber);
}

/** A phone number of an organization, with a provider that tells of what comes in. */
export function webhookClient(product: Product, phoneNumber: string) {
  const tell = (body: string | object, { provider = 'smsprovider', ...more }: Telling = {}) =>
    product.call('receive-sms', { path: { provider }, body, ...more });
  const message = () => ({ MessageSid: newSid(), To: phoneNumber, Body: 'Hello' });
  return {
    phoneNumber,
    /** Sends a body, a text as it is. */
    tell,
    /** Tells of a text message to this number, as JSON. */
    text: (fields: Record<string, unknown>, more?: Telling) => tell({ ...message(), ...fields }, more),
    /** The same as a form. */
    textAsForm: (fields: Record<string, string>, more: Telling = {}) =>
      tell(new URLSearchParams({ ...message(), ...fields }).toString(), {
        ...more,
        headers: { ...form, ...more.headers },
      }),
  };
}
