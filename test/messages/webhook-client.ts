import { randomBytes } from 'node:crypto';
import type { Answer, Person, Product } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/world.ts';

/** A phone number of an organization, with a provider that tells of what comes in. */
export interface WebhookClient {
  readonly phoneNumber: string;
  /** Sends a body as it is. */
  tell(body: string, more?: Telling): Promise<Answer>;
  /** Tells of a text message to this number, as JSON. */
  text(fields: Record<string, unknown>, more?: Telling): Promise<Answer>;
  /** The same as a form. */
  textAsForm(fields: Record<string, string>, more?: Telling): Promise<Answer>;
}

export interface Telling {
  at?: Date;
  headers?: Record<string, string>;
  query?: Record<string, string>;
  provider?: string;
}

export const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** The answer to a form. Source: decisions 10, "SMS webhook". */
export const emptyResponse = '<?xml version="1.0" encoding="UTF-8"?><Response></Response>';

/** An id as Twilio's. */
export function newSid(): string {
  return `SM${randomBytes(16).toString('hex')}`;
}

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
  return lineOf(product, data.phoneNumber);
}

function lineOf(product: Product, phoneNumber: string): WebhookClient {
  const tell = (body: unknown, { provider = 'smsprovider', ...more }: Telling = {}) =>
    product.call('receive-sms', { path: { provider }, body, ...more });
  return {
    phoneNumber,
    tell,
    text: (fields, more) => tell({ MessageSid: newSid(), To: phoneNumber, Body: 'Hello', ...fields }, more),
    textAsForm: (fields, more = {}) =>
      tell(
        new URLSearchParams({
          MessageSid: newSid(),
          To: phoneNumber,
          Body: 'Hello',
          ...fields,
        }).toString(),
        { ...more, headers: { ...form, ...more.headers } },
      ),
  };
}
