import { expect, test } from 'vitest';
import { newVoiceClient } from '../calls/reports.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/world.ts';
import { sendableMessages } from './sendable-messages.ts';
import { type Report, statusClient } from './status-client.ts';
import { newSid, newWebhookClient } from './webhook-client.ts';

const world = await setUpWorld();
const { product, admin, rep, foreigner } = world;
const { sentMessage } = await sendableMessages(world);
const report = statusClient(product);
const secret = '0123456789abcdef0123456789abcdef';
const another = 'fedcba9876543210fedcba9876543210';

const remove = ({ token, organizationId }: Person, phoneNumber: string) =>
  arrange(product.call('remove-phone-number', { token, path: { organizationId, phoneNumber } }));
const delivered = (sid: string): Report => ({ MessageSid: sid, MessageStatus: 'delivered' });

test('What became of a message is recorded also after its number was removed, with the secret that it had', async () => {
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

test('What became of a message is not for the next organization with its number to tell', async () => {
  const { phoneNumber } = await newWebhookClient(product, admin, rep, { secret, isDefault: true });
  const { sid, query, read } = await sentMessage();
  await remove(admin, phoneNumber);
  await newWebhookClient(product, foreigner, foreigner, { phoneNumber, secret: another });
  expect((await report(delivered(sid), { query, secret: another, as: 'JSON' })).status).toBe(403);
  expect((await read()).status).toBe('sent');
  expect((await report(delivered(sid), { query, secret, as: 'JSON' })).body.data.status).toBe('delivered');
  await remove(foreigner, phoneNumber);
});

test('What became of a message is told with the secret of now once its organization has the number again', async () => {
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
  const fields = { CallSid: newSid(), From };
  const tell = (CallStatus: string, sign = secret) =>
    voice.signedForm({ ...fields, CallStatus }, sign).then(({ status }) => status);
  expect(await tell('ringing')).toBe(200);
  await remove(admin, voice.phoneNumber);
  expect(await tell('no-answer', another)).toBe(403);
  expect(await tell('no-answer')).toBe(200);
  const list = await product.call('list-calls', { token: admin.token });
  const calls = expectStatus(list, 200).data.filter(({ from }: { from: string }) => from === From);
  expect(calls).toMatchObject([{ status: 'no-answer', missedCall: { outcome: 'skipped' } }]);
  const { data } = expectStatus(await voice.report({ From, CallStatus: 'ringing' }), 200);
  expect(data.callId).toBeNull();
});
