import { expect, test } from 'vitest';
import { day } from '../../shared/kernel/time.ts';
import { newCallSid, newVoiceClient } from '../calls/reports.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { sendableMessages } from './sendable-messages.ts';
import { type Report, statusClient } from './status-client.ts';
import { newWebhookClient, webhookClient } from './webhook-client.ts';

const tenants = await setUpTenants();
const { product, admin, rep, foreignAdmin } = tenants;
const { sentMessage } = await sendableMessages(tenants);
const report = statusClient(product);
const secret = '0123456789abcdef0123456789abcdef';
const another = 'fedcba9876543210fedcba9876543210';

const remove = ({ token, organizationId }: Person, phoneNumber: string) =>
  arrange(product.call('remove-phone-number', { token, path: { organizationId, phoneNumber } }));
const delivered = (sid: string): Report => ({ MessageSid: sid, MessageStatus: 'delivered' });
const inDays = (days: number) => new Date(Date.now() + days * day);

async function callsFrom({ token }: Person, number: string) {
  const { data } = expectStatus(await product.call('list-calls', { token }), 200);
  return data.filter(({ from }: { from: string }) => from === number);
}

test('The outcome of a message is recorded even after its number was removed, with the secret that the number had', async () => {
  const { phoneNumber } = await newWebhookClient(product, admin, rep, { secret, isDefault: true });
  const [one, two] = [await sentMessage(), await sentMessage()];
  await remove(admin, phoneNumber);
  for (const { query, sid } of [one, two]) {
    expect((await report(delivered(sid), { query, as: 'JSON' })).status).toBe(403);
    expect((await report(delivered(sid), { query, as: 'JSON', secret: another })).status).toBe(403);
  }
  expect((await one.read()).status).toBe('sent');
  // By the address that the provider was given, and by the provider's id alone.
  expect((await report(delivered(one.sid), { query: one.query, secret })).status).toBe(200);
  expect((await report(delivered(two.sid), { secret })).status).toBe(200);
  expect([(await one.read()).status, (await two.read()).status]).toEqual(['delivered', 'delivered']);
});

test('The next organization with a number cannot report the outcome of messages sent from it before', async () => {
  const { phoneNumber } = await newWebhookClient(product, admin, rep, { secret, isDefault: true });
  const { sid, query, read } = await sentMessage();
  await remove(admin, phoneNumber);
  await newWebhookClient(product, foreignAdmin, foreignAdmin, { phoneNumber, secret: another });
  expect((await report(delivered(sid), { query, secret: another, as: 'JSON' })).status).toBe(403);
  expect((await read()).status).toBe('sent');
  expect((await report(delivered(sid), { query, secret, as: 'JSON' })).body.data.status).toBe('delivered');
  await remove(foreignAdmin, phoneNumber);
});

test('The outcome of a message is reported with the current secret once its organization has the number again', async () => {
  const { phoneNumber } = await newWebhookClient(product, admin, rep, { secret, isDefault: true });
  const { sid, query, read } = await sentMessage();
  await remove(admin, phoneNumber);
  await newWebhookClient(product, admin, rep, { phoneNumber, secret: another, isDefault: true });
  expect((await report(delivered(sid), { query, secret })).status).toBe(403);
  expect((await report(delivered(sid), { query, secret: another })).status).toBe(200);
  expect((await read()).status).toBe('delivered');
  await remove(admin, phoneNumber);
});

test('A call goes on after its number was removed; a new one is not recorded', async () => {
  const voice = await newVoiceClient(product, admin, rep, { secret });
  const From = newPhoneNumber();
  const fields = { CallSid: newCallSid(), From };
  const tell = (CallStatus: string, sign = secret) =>
    voice.signedForm({ ...fields, CallStatus }, sign).then(({ status }) => status);
  expect(await tell('ringing')).toBe(200);
  await remove(admin, voice.phoneNumber);
  expect(await tell('no-answer', another)).toBe(403);
  expect(await tell('no-answer')).toBe(200);
  expect(await callsFrom(admin, From)).toMatchObject([
    { status: 'no-answer', missedCall: { outcome: 'skipped' } },
  ]);
  const { data } = expectStatus(await voice.report({ From, CallStatus: 'ringing' }), 200);
  expect(data.callId).toBeNull();
});

test('A number that is removed twice: what became of a message may be reported with any secret that the number had since then', async () => {
  const { phoneNumber } = await newWebhookClient(product, admin, rep, { secret, isDefault: true });
  const [one, two] = [await sentMessage(), await sentMessage()];
  await remove(admin, phoneNumber);
  await newWebhookClient(product, admin, rep, { phoneNumber, secret: another, isDefault: true });
  const three = await sentMessage();
  await remove(admin, phoneNumber);
  expect((await report(delivered(one.sid), { query: one.query, secret })).status).toBe(200);
  expect((await report(delivered(two.sid), { query: two.query, secret: another })).status).toBe(200);
  // The first secret was no longer in use when this one was sent.
  expect((await report(delivered(three.sid), { query: three.query, secret })).status).toBe(403);
  expect((await three.read()).status).toBe('sent');
  expect((await report(delivered(three.sid), { query: three.query, secret: another })).status).toBe(200);
  for (const { read } of [one, two, three]) {
    expect((await read()).status).toBe('delivered');
  }
});

test('A number that is removed a second time, without a secret: reports about what was sent with one still need one', async () => {
  const { phoneNumber } = await newWebhookClient(product, admin, rep, { secret, isDefault: true });
  const { sid, query, read } = await sentMessage();
  await remove(admin, phoneNumber);
  await newWebhookClient(product, admin, rep, { phoneNumber, isDefault: true });
  await remove(admin, phoneNumber);
  expect((await report({ MessageSid: sid, MessageStatus: 'failed' }, { query })).status).toBe(403);
  expect((await read()).status).toBe('sent');
});

test('A secret that a number had counts for 30 days after its removal, whether or not the database has deleted it', async () => {
  const { phoneNumber } = await newWebhookClient(product, admin, rep, { secret, isDefault: true });
  const { sid, query, read } = await sentMessage();
  const voice = await newVoiceClient(product, admin, rep, { secret });
  const call = { CallSid: newCallSid(), From: newPhoneNumber() };
  expect((await voice.signedForm({ ...call, CallStatus: 'ringing' }, secret)).status).toBe(200);
  await remove(admin, phoneNumber);
  await remove(admin, voice.phoneNumber);
  const late = { query, secret, as: 'JSON' as const, at: inDays(31) };
  expect((await report(delivered(sid), late)).body.data.status).toBeNull();
  expect(
    (await voice.report({ ...call, CallStatus: 'no-answer' }, { at: inDays(31) })).body.data.callId,
  ).toBeNull();
  const soon = { query, secret, as: 'JSON' as const, at: inDays(29) };
  expect((await report(delivered(sid), soon)).body.data.status).toBe('delivered');
  expect((await read()).status).toBe('delivered');
});

test.each([
  ['without a secret', {}],
  ['with a secret of its own', { secret: another }],
])('A call goes on in its organization when its number has gone to another one, %s', async (_, assigned) => {
  const voice = await newVoiceClient(product, admin, rep, { secret });
  const From = newPhoneNumber();
  const fields = { CallSid: newCallSid(), From };
  expect((await voice.signedForm({ ...fields, CallStatus: 'ringing' }, secret)).status).toBe(200);
  await remove(admin, voice.phoneNumber);
  await newWebhookClient(product, foreignAdmin, foreignAdmin, {
    phoneNumber: voice.phoneNumber,
    ...assigned,
  });
  // Not with another secret, nor with the one of the next organization.
  expect((await voice.report({ ...fields, CallStatus: 'no-answer' })).status).toBe(403);
  expect((await voice.signedForm({ ...fields, CallStatus: 'no-answer' }, another)).status).toBe(403);
  expect((await voice.signedForm({ ...fields, CallStatus: 'no-answer' }, secret)).status).toBe(200);
  expect(await callsFrom(admin, From)).toMatchObject([{ status: 'no-answer' }]);
  expect(await callsFrom(foreignAdmin, From)).toEqual([]);
  // A new call is the next organization's.
  const next = { CallSid: newCallSid(), From, CallStatus: 'ringing' };
  expect((await voice.signedForm(next, another)).status).toBe(200);
  expect(await callsFrom(foreignAdmin, From)).toMatchObject([{ status: 'ringing' }]);
  await remove(foreignAdmin, voice.phoneNumber);
});

test('A text message to a number that has moved to another organization or user goes there', async () => {
  const webhook = await newWebhookClient(product, admin, admin);
  const { phoneNumber } = webhook;
  const From = newPhoneNumber();
  expect(expectStatus(await webhook.text({ From }), 200).data.contactId).not.toBeNull();
  await remove(admin, phoneNumber);
  expect(expectStatus(await webhook.text({ From }), 200).data.contactId).toBeNull();
  await newWebhookClient(product, foreignAdmin, foreignAdmin, { phoneNumber });
  const { data } = expectStatus(await webhook.text({ From }), 200);
  const read = (token: string) => product.call('read-contact', { token, path: { id: data.contactId } });
  expect((await read(admin.token)).status).toBe(404);
  expect((await read(foreignAdmin.token)).body.data.owner).toBe(foreignAdmin.userId);

  await remove(foreignAdmin, phoneNumber);
  const colleague = await product.newColleague(foreignAdmin);
  await newWebhookClient(product, foreignAdmin, colleague, { phoneNumber });
  const another = expectStatus(
    await webhookClient(product, phoneNumber).text({ From: newPhoneNumber() }),
    200,
  );
  const { body } = await product.call('read-contact', {
    token: foreignAdmin.token,
    path: { id: another.data.contactId },
  });
  expect(body.data.owner).toBe(colleague.userId);
});
