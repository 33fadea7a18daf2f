import { request } from 'node:http';
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';
import { expect, test } from 'vitest';
import { recordedId } from '../../shared/ports/sms-recorder.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { setUpLiveHost } from '../live/fixtures.ts';
import type { Frame } from '../live/frame.ts';
import type { User } from '../live/live-host.ts';
import { emptyResponse, form, newSid } from './webhook-client.ts';

const host = await setUpLiveHost();

const webhook = '/api/webhook/smsprovider/sms';
const statusIn = ({ data }: Frame) => (data.message as { status?: string } | undefined)?.status;

/** A number of a user, with what more is said of it. */
async function newNumber(admin: User, user: User, more: Record<string, unknown> = {}): Promise<string> {
  const phoneNumber = newPhoneNumber();
  const body = { userId: user.id, provider: 'twilio', phoneNumber, ...more };
  await host.call(`POST /api/organizations/${admin.organizationId}/phone-numbers`, admin, body);
  return phoneNumber;
}

const messagesOf = async (user: User, conversationId: string) =>
  (await host.call(`GET /api/conversations/${conversationId}/messages`, user)).data;

test('On the local host, sockets get the life of a message: queued, sent, then delivered or failed with the reason', async () => {
  const admin = await host.newOrganization();
  const secret = 'the token of the account';
  const socket = await host.open(admin);
  const texted = async (to: string) => {
    const body = { firstName: 'Ada', phoneNumbers: [{ value: to }] };
    const contactId = (await host.call('POST /api/contacts/create', admin, body)).data._id;
    return (await host.call('POST /api/messages', admin, { contactId, content: 'Hello' })).data;
  };
  // The local host has no standard sender either.
  await expect(texted(newPhoneNumber())).rejects.toThrow('answered 409');
  const from = await newNumber(admin, admin, { secret, isDefault: true });
  /** What the socket was told of a message, once its last status came. */
  const lifeOf = async ({ _id }: { _id: string }, last: string) => {
    const isOf = ({ data }: Frame) => data.messageId === _id;
    await socket.frame((frame) => isOf(frame) && statusIn(frame) === last);
    return socket.frames.filter(isOf);
  };
  const ada = await texted(newPhoneNumber());
  await lifeOf(ada, 'sent');
  const query = new URLSearchParams({
    organization: admin.organizationId,
    conversation: ada.conversationId,
    message: ada._id,
    from,
  });
  const url = `${host.url}/api/webhook/twilio/status?${query}`;
  const fields = { MessageSid: recordedId(ada._id), MessageStatus: 'undelivered', ErrorCode: '30005' };
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...form, 'x-twilio-signature': getExpectedTwilioSignature(secret, url, fields) },
    body: new URLSearchParams(fields),
  });
  expect([response.status, await response.text()]).toEqual([200, emptyResponse]);
  const life = await lifeOf(ada, 'undelivered');
  expect(life.map((frame) => `${frame.event} ${statusIn(frame)}`)).toEqual([
    'message_created queued',
    'message_updated sent',
    'message_updated undelivered',
  ]);
  expect(life.at(-1)?.data.message).toMatchObject({
    failure: { code: '30005', reason: 'The number does not exist or is no longer in use.' },
  });
  // A number that the provider refuses at once, because its holder has opted out.
  const stopped = await texted('+15005550004');
  expect((await lifeOf(stopped, 'failed')).at(-1)?.data.message).toMatchObject({
    failure: { code: '21610' },
  });
  const { data } = await host.call(`GET /api/contacts/${stopped.contactId}`, admin);
  expect(data.consent).toMatchObject({ sms: 'out', source: 'provider' });
  await socket.close();
});

test('On the local host, sockets get a call that Twilio reports as missed, and its caller gets the text', async () => {
  const admin = await host.newOrganization();
  const secret = 'the token of the account';
  const number = await newNumber(admin, admin, { secret, isDefault: true });
  const message = { missedCallMessage: 'Sorry we missed you.', missedCallAutoMessageEnabled: true };
  await host.call(`PUT /api/organizations/${admin.organizationId}/missed-call-message`, admin, message);
  const socket = await host.open(admin);
  const url = `${host.url}/api/webhook/twilio/voice`;
  const call = { CallSid: newSid(), From: newPhoneNumber(), To: number, Direction: 'inbound' };
  for (const CallStatus of ['ringing', 'no-answer', 'no-answer']) {
    const fields = { ...call, CallStatus };
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...form, 'x-twilio-signature': getExpectedTwilioSignature(secret, url, fields) },
      body: new URLSearchParams(fields),
    });
    expect([response.status, await response.text()]).toEqual([200, emptyResponse]);
    expect(response.headers.get('content-type')).toMatch(/^text\/xml/);
  }
  const sent = await socket.frame((frame) => frame.event === 'message_updated' && statusIn(frame) === 'sent');
  const events = socket.frames.map(({ event }) => event);
  expect(events.filter((event) => event !== 'notification_created')).toEqual([
    ...['contact_created', 'call_initiated', 'call_ended', 'call_missed'],
    ...['message_created', 'message_updated'],
  ]);
  const told = sent.data as { message: { _id: string }; conversationId: string };
  expect(await messagesOf(admin, told.conversationId)).toMatchObject([
    { _id: told.message._id, content: 'Sorry we missed you.', status: 'sent' },
  ]);
  await socket.close();
});

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
