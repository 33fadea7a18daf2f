import twiml from 'twilio/lib/twiml/VoiceResponse.js';
import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { signedBy, signedForm, signedJson, signFields } from '../messages/twilio-signing.ts';
import { newSid, newWebhookClient } from '../messages/webhook-client.ts';
import { newCallSid, newVoiceClient, voiceUrl } from './reports.ts';

// Twilio's own library signs what it posts, and says what an answer in its markup is.

const secret = '0123456789abcdef0123456789abcdef';
const { product, admin, rep } = await setUpTenants();
const voice = await newVoiceClient(product, admin, rep, { secret });

const newFields = (more: Record<string, string> = {}) => ({
  CallSid: newCallSid(),
  AccountSid: 'AC0123456789abcdef0123456789abcdef',
  From: newPhoneNumber(),
  To: voice.phoneNumber,
  Direction: 'inbound',
  CallStatus: 'ringing',
  ApiVersion: '2010-04-01',
  CallerName: 'Ada & Söhne',
  ...more,
});
type Fields = ReturnType<typeof newFields>;

function tellJson(fields: Fields, token = secret) {
  const body = JSON.stringify(fields);
  return voice.tell(body, signedJson(token, voiceUrl, body));
}

const refused = failure(
  403,
  'X-Twilio-Signature does not match this request. Sign the URL called and the body with the secret of the phone number.',
);

test('A form that Twilio signed gets what Twilio takes without a warning: an empty Response as text/xml', async () => {
  const { status, body, headers } = await voice.signedForm(newFields(), secret);
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/xml(;|$)/);
  const empty = new twiml().toString();
  expect(body.replace('<Response></Response>', '<Response/>')).toBe(empty);
});

test('JSON that Twilio signed gets JSON', async () => {
  const { data } = expectStatus(await tellJson(newFields()), 200);
  expect(data).toMatchObject({ status: 'ringing', duplicate: false });
});

test('A report without a signature, signed with another secret, or changed after it was signed is 403, and records nothing', async () => {
  const fields = newFields({ CallStatus: 'no-answer' });
  const text = new URLSearchParams(fields).toString();
  for (const response of [
    await voice.tell(JSON.stringify(fields)),
    await voice.tell(text, signedForm('another', voiceUrl, fields)),
    await voice.tell(text, signedForm(secret, voiceUrl, newFields())),
    await tellJson(fields, 'another'),
  ]) {
    expect(outcome(response)).toEqual(refused);
  }
  expect(expectStatus(await tellJson(fields), 200).data.duplicate).toBe(false);
});

test('An outbound call is signed with the secret of the number in From', async () => {
  const fields = newFields({ Direction: 'outbound-api', From: voice.phoneNumber, To: newPhoneNumber() });
  expect(outcome(await voice.tell(JSON.stringify(fields)))).toEqual(refused);
  expect((await tellJson(fields)).status).toBe(200);
});

test('Texts and calls of one person, signed by Twilio, in any order, are of one contact', async () => {
  const texts = await newWebhookClient(product, admin, rep, { secret });
  const url = voiceUrl.replace('twilio/voice', 'smsprovider/sms');
  for (const order of [
    ['call', 'text'],
    ['text', 'call'],
  ]) {
    const From = newPhoneNumber();
    const sms = { MessageSid: newSid(), From, To: texts.phoneNumber, Body: 'Call me', NumMedia: '0' };
    for (const one of [...order, ...order]) {
      const signature = signFields(secret, url, sms);
      const { status } = await (one === 'call'
        ? voice.signedForm(newFields({ From }), secret)
        : texts.textAsForm(sms, signedBy(signature)));
      expect(status).toBe(200);
    }
    const list = expectStatus(
      await product.call('list-contacts-by-stage', { token: admin.token, body: { search: From } }),
      200,
    );
    expect(list.data.New.total).toBe(1);
  }
});
