import {
  getExpectedBodyHash,
  getExpectedTwilioSignature,
  validateRequest,
} from 'twilio/lib/webhooks/webhooks.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { domainName } from '../harness/product.ts';
import { newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { emptyResponse, form, type Line, newLine, newSid, type Telling } from './phones.ts';

const secret = '0123456789abcdef0123456789abcdef';
const url = `https://${domainName}/api/webhook/smsprovider/sms`;
const refused = {
  status: 403,
  body: {
    success: false,
    message:
      'X-Twilio-Signature does not match this request. Sign the URL called and the body with the secret of the phone number.',
  },
};

let world: World;
let line: Line;
beforeAll(async () => {
  world = await startWorld();
  line = await newLine(world.product, world.admin, world.rep, { secret });
});
afterAll(() => world.product.stop());

const newFields = (more: Record<string, string> = {}) => ({
  MessageSid: newSid(),
  From: newPhoneNumber(),
  To: line.phoneNumber,
  Body: 'Is this genuine? ¿Sí? 👋 a+b=c&d',
  NumMedia: '0',
  ...more,
});
type Fields = ReturnType<typeof newFields>;

const signedBy = (signature: string): Telling => ({ headers: { 'x-twilio-signature': signature } });
const statusAndBody = ({ status, body }: { status: number; body: unknown }) => ({ status, body });

const tellJson = (fields: Fields, telling?: Telling) => line.tell(JSON.stringify(fields), telling);

/** How the library of Twilio signs a JSON body: its hash in the URL, and the URL. */
function signedJson(fields: Fields, at = url, token = secret): Telling {
  const query = { bodySHA256: getExpectedBodyHash(JSON.stringify(fields)) };
  const signature = getExpectedTwilioSignature(token, `${at}?${new URLSearchParams(query)}`, {});
  return { query, ...signedBy(signature) };
}

describe('A form to a number with a secret', () => {
  const sign = (fields: Fields, at = url, token = secret) =>
    signedBy(getExpectedTwilioSignature(token, at, fields));

  it('is taken with the signature of Twilio’s own library', async () => {
    const fields = newFields();
    const telling = sign(fields);
    const { status, body } = await line.textAsForm(fields, telling);
    expect(status).toBe(200);
    expect(body).toBe(emptyResponse);
    // As the library itself sees it.
    const signature = telling.headers?.['x-twilio-signature'] ?? '';
    expect(validateRequest(secret, signature, url, fields)).toBe(true);
  });

  it('is taken with attachments, empty and unknown fields', async () => {
    const fields = newFields({
      NumMedia: '1',
      MediaUrl0: 'https://api.twilio.com/Media/ME1',
      MediaContentType0: 'image/png',
      FromCity: '',
      Unknown: 'ö',
    });
    expect((await line.textAsForm(fields, sign(fields))).status).toBe(200);
  });

  it('is taken when a field comes twice', async () => {
    const { phoneNumber } = line;
    const pairs: [string, string][] = [
      ...Object.entries(newFields({ To: phoneNumber })),
      ['Twice', 'b'],
      ['Twice', 'a'],
    ];
    const asObject = { ...Object.fromEntries(pairs), Twice: ['b', 'a'] };
    const signature = getExpectedTwilioSignature(secret, url, asObject);
    const headers = { ...form, ...signedBy(signature).headers };
    const { status } = await line.tell(new URLSearchParams(pairs).toString(), { headers });
    expect(status).toBe(200);
  });

  it('is taken at a URL with a query string, which is signed too', async () => {
    const fields = newFields();
    const query = { tenant: '1', b: 'x y' };
    const at = `${url}?${new URLSearchParams(query)}`;
    expect((await line.textAsForm(fields, { query, ...sign(fields, at) })).status).toBe(200);
    expect(statusAndBody(await line.textAsForm(fields, { query, ...sign(fields) }))).toEqual(refused);
  });

  it('is taken through a proxy that tells the host and the scheme', async () => {
    const fields = newFields();
    const { headers } = sign(fields, 'http://crm.example.com:8080/api/webhook/smsprovider/sms');
    const proxied = { ...headers, host: 'crm.example.com:8080', 'x-forwarded-proto': 'http' };
    expect((await line.textAsForm(fields, { headers: proxied })).status).toBe(200);
  });

  it.each<[string, (fields: Fields) => [Record<string, string>, Telling?]]>([
    ['without a signature', (fields) => [fields]],
    ['with an empty signature', (fields) => [fields, signedBy('')]],
    ['with garbage for a signature', (fields) => [fields, signedBy('garbage')]],
    ['signed by somebody else', (fields) => [fields, sign(fields, url, 'another secret')]],
    ['signed for another URL', (fields) => [fields, sign(fields, `${url}/`)]],
    ['signed for http', (fields) => [fields, sign(fields, url.replace('https', 'http'))]],
    ['with another text', (fields) => [{ ...fields, Body: 'Send the money' }, sign(fields)]],
    ['with another sender', (fields) => [{ ...fields, From: newPhoneNumber() }, sign(fields)]],
    ['with another id', (fields) => [{ ...fields, MessageSid: newSid() }, sign(fields)]],
    ['with a field more', (fields) => [{ ...fields, More: '' }, sign(fields)]],
    ['with a field less', ({ NumMedia: _, ...fields }) => [fields, sign(newFields())]],
  ])('%s is 403 `{success: false, message}`, and stores nothing', async (_, forge) => {
    const fields = newFields();
    expect(statusAndBody(await line.textAsForm(...forge(fields)))).toEqual(refused);
    const genuine = await tellJson(fields, signedJson(fields));
    expect(genuine.body.data.duplicate).toBe(false);
  });

  it('is refused when the signed one is followed by a second value of a field', async () => {
    const fields = newFields();
    const headers = { ...form, ...sign(fields).headers };
    const twice = `${new URLSearchParams(fields)}&Body=Send+the+money`;
    expect(statusAndBody(await line.tell(twice, { headers }))).toEqual(refused);
  });
});

describe('JSON to a number with a secret', () => {
  it('is taken when the signed URL has the hash of the body', async () => {
    const fields = newFields();
    const { status, body } = await tellJson(fields, signedJson(fields));
    expect(status).toBe(200);
    expect(body.data.duplicate).toBe(false);
  });

  it('is refused without a signature, with another body, and with a hash that was not signed', async () => {
    const [fields, other] = [newFields(), newFields()];
    const { query } = signedJson(other);
    const unsigned = { ...signedJson(fields), ...(query && { query }) };
    for (const [sent, telling] of [
      [fields, {}],
      [other, signedJson(fields)],
      [other, unsigned],
      [fields, { ...signedJson(fields), query: {} }],
      [fields, signedBy(getExpectedTwilioSignature(secret, url, {}))],
      [fields, signedBy(getExpectedTwilioSignature(secret, url, fields))],
    ] as const) {
      expect(statusAndBody(await tellJson(sent, telling))).toEqual(refused);
    }
  });
});

describe('The secret of a number', () => {
  it('is asked for from when it is stored, until it is removed', async () => {
    const open = await newLine(world.product, world.admin, world.rep);
    const tell = async () => (await open.text({ From: newPhoneNumber() })).status;
    const change = (body: Record<string, unknown>) =>
      world.product.call('update-phone-number', {
        token: world.admin.token,
        path: { organizationId: world.admin.organizationId, phoneNumber: open.phoneNumber },
        body,
      });
    expect(await tell()).toBe(200);
    expect((await change({ secret })).status).toBe(200);
    expect(await tell()).toBe(403);
    expect((await change({ secret: '' })).status).toBe(200);
    expect(await tell()).toBe(200);
  });

  it('opens no other number', async () => {
    const other = await newLine(world.product, world.admin, world.rep, { secret: 'another secret' });
    const fields = newFields({ To: other.phoneNumber });
    expect((await tellJson(fields, signedJson(fields))).status).toBe(403);
    expect((await tellJson(fields, signedJson(fields, url, 'another secret'))).status).toBe(200);
  });
});
