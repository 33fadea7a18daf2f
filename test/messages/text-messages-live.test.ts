import { request } from 'node:http';
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

test('On the local host, a form that is signed for the URL of another host on the same path is refused, and one for localhost is taken', async () => {
  const admin = await host.newOrganization();
  const secret = 'the token of the account';
  const number = await newNumber(admin, admin, { secret });
  const { port } = new URL(host.url);
  const postTo = (authority: string) => {
    const fields = { MessageSid: newSid(), From: newPhoneNumber(), To: number, Body: 'Hello' };
    const signature = getExpectedTwilioSignature(secret, `http://${authority}${webhook}`, fields);
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    request(`${host.url}${webhook}`, {
      method: 'POST',
      headers: { ...form, host: authority, 'x-twilio-signature': signature },
    })
      .on('response', (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end(new URLSearchParams(fields).toString());
    return promise;
  };
  expect(await postTo(`localhost:${port}`)).toBe(200);
  expect(await postTo(`127.0.0.1:${port}`)).toBe(200);
  expect(await postTo('evil.example')).toBe(403);
  expect(await postTo(`evil.example:${port}`)).toBe(403);
  expect(await postTo('localhost')).toBe(403);
});
