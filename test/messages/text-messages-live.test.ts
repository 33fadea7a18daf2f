import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import { expect, test } from 'vitest';
import { newPhoneNumber } from '../harness/tenants.ts';
import { setUpLiveHost } from '../live/fixtures.ts';
import type { User } from '../live/live-host.ts';
import { form, newSid } from './webhook-client.ts';

const host = await setUpLiveHost();

const webhook = '/api/webhook/smsprovider/sms';

/** A number of a user, with what more is said of it. */
async function newNumber(admin: User, user: User, more: Record<string, unknown> = {}): Promise<string> {
  const phoneNumber = newPhoneNumber();
  const body = { userId: user.id, provider: 'twilio', phoneNumber, ...more };
  await host.call(`POST /api/organizations/${admin.organizationId}/phone-numbers`, admin, body);
  return phoneNumber;
}

test('On the local host, a form is checked against the URL that its sender called, even through a tunnel', async () => {
  const admin = await host.newOrganization();
  const secret = 'the token of the account';
  const number = await newNumber(admin, admin, { secret });
  const post = async (signedUrl: string, headers: Record<string, string> = {}) => {
    const fields = { MessageSid: newSid(), From: newPhoneNumber(), To: number, Body: 'Grüße & 👋' };
    const signature = getExpectedTwilioSignature(secret, signedUrl, fields);
    const response = await fetch(`${host.url}${webhook}`, {
      method: 'POST',
      headers: { ...form, 'x-twilio-signature': signature, ...headers },
      body: new URLSearchParams(fields),
    });
    return { status: response.status, type: response.headers.get('content-type') };
  };
  const taken = { status: 200, type: expect.stringMatching(/^text\/xml/) };
  const url = `${host.url}${webhook}`;
  const tunnelled = url.replace('http:', 'https:');
  expect(await post(url)).toEqual(taken);
  expect(await post(tunnelled, { 'x-forwarded-proto': 'https' })).toEqual(taken);
  expect((await post(tunnelled)).status).toBe(403);
  expect((await post(url, { 'x-twilio-signature': 'forged' })).status).toBe(403);
});
