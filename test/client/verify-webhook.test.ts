import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { setUpLiveHost } from '../live/fixtures.ts';
import { loadClient } from './loaded-client.ts';

const { verifyWebhook, WebhookVerificationError } = await loadClient((await setUpLiveHost()).url);
const newSecret = () => `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64')}`;
const secret = newSecret();
const event = { id: '01JD8Z3V5Q6M7N8P9R0S1T2V3W', event: 'contact_created', data: { name: 'Zoë' } };
const body = JSON.stringify(event);

/** The headers that the library of Standard Webhooks makes. */
function signed({ by = [secret], at = new Date(), text = body } = {}): Record<string, string> {
  return {
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': by.map((one) => new Webhook(one).sign(event.id, at, text)).join(' '),
  };
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
const titled = (headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));

test.each([
  ['as its text', { body, headers: signed() }],
  ['as its bytes', { body: Buffer.from(body), headers: signed() }],
  ['with the headers of a Request', { body, headers: new Headers(signed()) }],
  ['with headers in capitals, as lists', { body, headers: titled(signed()) }],
  ['while two secrets sign', { body, headers: signed({ by: [newSecret(), secret] }) }],
  ['nearly five minutes late', { body, headers: signed({ at: ago(290) }) }],
  ['as late as its endpoint allows', { body, headers: signed({ at: ago(3000) }), toleranceSeconds: 3600 }],
])('A webhook is its event: %s', async (_how, request) => {
  expect(await verifyWebhook({ ...request, secret })).toEqual(event);
});

test.each([
  ['another secret has signed', { body, headers: signed({ by: [newSecret()] }) }, 'No signature'],
  ['its body was changed', { body: body.replace('Zoë', 'Zoe'), headers: signed() }, 'No signature'],
  ['its id was changed', { body, headers: { ...signed(), 'webhook-id': 'another' } }, 'No signature'],
  ['it is old', { body, headers: signed({ at: ago(310) }) }, 'within 300 seconds'],
  ['it is of the future', { body, headers: signed({ at: ago(-310) }) }, 'within 300 seconds'],
  ['its time is none', { body, headers: { ...signed(), 'webhook-timestamp': '1e9' } }, 'within 300 seconds'],
  [
    'its signature is of another kind',
    { body, headers: { ...signed(), 'webhook-signature': 'v1a,AAAA' } },
    'No signature',
  ],
  [
    'its signature is no base64',
    { body, headers: { ...signed(), 'webhook-signature': 'v1,*** v1,' } },
    'No signature',
  ],
  [
    'it has no signature',
    { body, headers: { ...signed(), 'webhook-signature': undefined } },
    'webhook-signature is missing',
  ],
  ['it has no headers', { body, headers: {} }, 'webhook-id is missing'],
])('A webhook is refused when %s', async (_why, request, message) => {
  const refusal = verifyWebhook({ ...request, secret });
  await expect(refusal).rejects.toThrow(WebhookVerificationError);
  await expect(refusal).rejects.toThrow(message);
});

test.each([
  ['a secret that is empty', { secret: '' }, 'secret must be the whsec_… of the endpoint.'],
  ['a secret that is missing', { secret: undefined }, 'secret must be the whsec_… of the endpoint.'],
  ['a body that a parser has read', { body: event }, 'body must be the text or the bytes as they came'],
  ['a body that is missing', { body: undefined }, 'body must be the text or the bytes as they came'],
])('It is the mistake of the endpoint, and no attempt of a stranger: %s', async (_what, part, message) => {
  const mistake = verifyWebhook({ body, headers: signed(), secret, ...part });
  await expect(mistake).rejects.toThrow(TypeError);
  await expect(mistake).rejects.toThrow(message);
});
