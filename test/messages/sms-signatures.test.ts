import { validateRequest } from 'twilio/lib/webhooks/webhooks.js';
import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { domainName } from '../harness/gateway.ts';
import { failure, newPhoneNumber } from '../harness/tenants.ts';
import { signedBy, signedJson as signedJsonOf, signFields } from './twilio-signing.ts';
import { emptyResponse, form, newSid, newWebhookClient, type Telling } from './webhook-client.ts';

const secret = '0123456789abcdef0123456789abcdef';
const url = `https://${domainName}/api/webhook/smsprovider/sms`;
const refused = failure(
  403,
  'X-Twilio-Signature does not match this request. Sign the URL called and the body with the secret of the phone number.',
);
const { product, admin, rep } = await setUpTenants();
const webhook = await newWebhookClient(product, admin, rep, { secret });

const newFields = (more: Record<string, string> = {}) => ({
  MessageSid: newSid(),
  From: newPhoneNumber(),
  To: webhook.phoneNumber,
  Body: 'Is this genuine? ¿Sí? 👋 a+b=c&d',
  NumMedia: '0',
  ...more,
});
type Fields = ReturnType<typeof newFields>;

const statusAndBody = ({ status, body }: { status: number; body: unknown }) => ({ status, body });

const tellJson = (fields: Fields, telling?: Telling) => webhook.tell(JSON.stringify(fields), telling);

const signedJson = (fields: Fields, at = url, token = secret): Telling =>
  signedJsonOf(token, at, JSON.stringify(fields));

const sign = (fields: Fields, at = url, token = secret) => signedBy(signFields(token, at, fields));

test('A form to a number with a secret is taken with the signature of Twilio’s own library', async () => {
  const fields = newFields();
  const telling = sign(fields);
  const { status, body } = await webhook.textAsForm(fields, telling);
  expect(status).toBe(200);
  expect(body).toBe(emptyResponse);
  // As the library itself sees it.
  const signature = telling.headers?.['x-twilio-signature'] ?? '';
  expect(validateRequest(secret, signature, url, fields)).toBe(true);
});

test('A form to a number with a secret is taken at a URL with a query string, which is signed too', async () => {
  const fields = newFields();
  const query = { tenant: '1', b: 'x y' };
  const at = `${url}?${new URLSearchParams(query)}`;
  expect((await webhook.textAsForm(fields, { query, ...sign(fields, at) })).status).toBe(200);
  expect(statusAndBody(await webhook.textAsForm(fields, { query, ...sign(fields) }))).toEqual(refused);
});

test('A form to a number with a secret is taken through a proxy that passes on the host and the scheme', async () => {
  const fields = newFields();
  const { headers } = sign(fields, 'http://crm.example.com:8080/api/webhook/smsprovider/sms');
  const proxied = { ...headers, host: 'crm.example.com:8080', 'x-forwarded-proto': 'http' };
  expect((await webhook.textAsForm(fields, { headers: proxied })).status).toBe(200);
});

test.each<[string, (fields: Fields) => [Record<string, string>, Telling?]]>([
  ['without a signature', (fields) => [fields]],
  ['signed by somebody else', (fields) => [fields, sign(fields, url, 'another secret')]],
  ['signed for another URL', (fields) => [fields, sign(fields, `${url}/`)]],
  ['signed for http', (fields) => [fields, sign(fields, url.replace('https', 'http'))]],
  ['with another text', (fields) => [{ ...fields, Body: 'Send the money' }, sign(fields)]],
])(
  'A form to a number with a secret %s is 403 `{success: false, message}`, and stores nothing',
  async (_, forge) => {
    const fields = newFields();
    expect(statusAndBody(await webhook.textAsForm(...forge(fields)))).toEqual(refused);
    expect((await tellJson(fields, signedJson(fields))).body.data.duplicate).toBe(false);
  },
);

test('A form to a number with a secret is refused when the signed one is followed by a second value of a field', async () => {
  const fields = newFields();
  const headers = { ...form, ...sign(fields).headers };
  const twice = `${new URLSearchParams(fields)}&Body=Send+the+money`;
  expect(statusAndBody(await webhook.tell(twice, { headers }))).toEqual(refused);
});

test('JSON to a number with a secret is taken when the signed URL has the hash of the body', async () => {
  const fields = newFields();
  const { status, body } = await tellJson(fields, signedJson(fields));
  expect(status).toBe(200);
  expect(body.data.duplicate).toBe(false);
});

test('JSON to a number with a secret is refused without a signature, with another body, and with a hash that was not signed', async () => {
  const [fields, other] = [newFields(), newFields()];
  const { query } = signedJson(other);
  const unsigned = { ...signedJson(fields), ...(query && { query }) };
  for (const [sent, telling] of [
    [fields, {}],
    [other, signedJson(fields)],
    [other, unsigned],
    [fields, { ...signedJson(fields), query: {} }],
    [fields, signedBy(signFields(secret, url, {}))],
    [fields, signedBy(signFields(secret, url, fields))],
  ] as const) {
    expect(statusAndBody(await tellJson(sent, telling))).toEqual(refused);
  }
});

test('The secret of a number is asked for from when it is stored, until it is removed', async () => {
  const open = await newWebhookClient(product, admin, rep);
  const tell = async () => (await open.text({ From: newPhoneNumber() })).status;
  const change = (body: Record<string, unknown>) =>
    product.call('update-phone-number', {
      token: admin.token,
      path: { organizationId: admin.organizationId, phoneNumber: open.phoneNumber },
      body,
    });
  expect(await tell()).toBe(200);
  expect((await change({ secret })).status).toBe(200);
  expect(await tell()).toBe(403);
  expect((await change({ secret: '' })).status).toBe(200);
  expect(await tell()).toBe(200);
});
