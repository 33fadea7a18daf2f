import { expect, test } from 'vitest';
import { exactNumber } from '../harness/exact-number.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { newSid, newWebhookClient } from './webhook-client.ts';

const tenants = await setUpTenants();
const { product, rep, newContact } = tenants;
const webhook = await newWebhookClient(product, tenants.admin, rep);

const messages = async (id: string) =>
  expectStatus(await product.call('list-messages', { token: rep.token, path: { id } }), 200).data;

const url = 'https://api.twilio.com/2010-04-01/Accounts/AC1/Messages/MM1/Media/ME1';

test('Attachments of a text message are stored with name, type, size and URL, as far as the provider says', async () => {
  const media = { NumMedia: '2', MediaUrl0: url, MediaContentType0: 'image/jpeg', MediaUrl1: `${url}2/` };
  for (const text of [webhook.text, webhook.textAsForm]) {
    const from = newPhoneNumber();
    const { _id: contactId } = await newContact({ phoneNumbers: [{ value: from }] });
    expect((await text({ From: from, Body: '', ...media })).status).toBe(200);
    const { token } = rep;
    const list = await product.call('list-conversations', { token, query: { contactId } });
    expect(await messages(list.body.data[0]._id)).toMatchObject([
      {
        content: '',
        attachments: [
          { name: 'ME1', type: 'image/jpeg', size: null, url },
          { name: 'ME12', type: 'application/octet-stream', size: null, url: `${url}2/` },
        ],
      },
    ]);
  }
});

type Attached = [number: unknown, told: readonly unknown[], stored: readonly string[]];
const many = (count: number) => Array.from({ length: count }, (_, index) => `${url}-${index}`);
const both = [url, `${url}2`];

/** A number that does not say how many, and a URL that cannot be fetched. */
test.each<Attached>([
  [10, many(11), many(10)],
  ['12', many(12), many(10)],
  [exactNumber('1.0'), both, [url]],
  ['0', [url], []],
  [0, [url], []],
  ...['one', 1.5, -1, '-1', {}, undefined, null, '', ' '].map(
    (number): Attached => [number, [url, undefined, `${url}2`], both],
  ),
  ...[undefined, 'javascript:alert(1)', 7, `${url}/${'x'.repeat(2_000)}`].map(
    (odd): Attached => [2, [odd, url], [url]],
  ),
])('A text message with %j attachments at %j is stored with those at %j', async (NumMedia, told, stored) => {
  const media = Object.fromEntries(told.map((one, index) => [`MediaUrl${index}`, one]));
  const fields = { From: newPhoneNumber(), Body: 'See', NumMedia, ...media };
  const { data } = expectStatus(await webhook.text(fields), 200);
  const [{ content, attachments }] = await messages(data.conversationId);
  expect({ content, urls: attachments.map((attachment: { url: string }) => attachment.url) }).toEqual({
    content: 'See',
    urls: stored,
  });
});

/** Decisions 10, "SMS webhook, never lost for a detail": what a provider sends beyond a cap is cut, not refused. */
test('A text message is stored although its JSON has what others may not send: lone surrogates, numbers beyond 64 bits, 5,000 levels', async () => {
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  const body = `{"MessageSid": "${newSid()}", "From": "${newPhoneNumber()}", "To": "${webhook.phoneNumber}",
    "Body": "Half a smile: \\ud83d", "Price": 1e400, "Extra": ${deep}, "\\udc00": 1}`;
  const { data } = expectStatus(
    await product.call('receive-sms', { path: { provider: 'twilio' }, body }),
    200,
  );
  expect(await messages(data.conversationId)).toMatchObject([{ content: 'Half a smile: \ufffd' }]);
});

test('A text message may have numbers in JSON as its id, its text, its sender and its recipient', async () => {
  const From = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: From }] });
  const MessageSid = Number(From.slice(1)) + 1;
  const fields = { MessageSid, From: Number(From), To: Number(webhook.phoneNumber), Body: 4711 };
  const { data } = expectStatus(await webhook.text(fields), 200);
  expect(data).toMatchObject({ contactId, duplicate: false });
  expect(await messages(data.conversationId)).toMatchObject([
    { content: '4711', providerMessageId: String(MessageSid) },
  ]);
  const repeated = { ...fields, MessageSid: String(MessageSid) };
  expect(expectStatus(await webhook.text(repeated), 200).data).toEqual({ ...data, duplicate: true });
});

test('A text message may have a short code as a number in JSON as its sender', async () => {
  const { data } = expectStatus(await webhook.text({ From: 73_737 }), 200);
  const contact = await product.call('read-contact', { token: rep.token, path: { id: data.contactId } });
  expect(contact.body.data.customFields).toEqual({ sender: '73737' });
});

test('A text message is stored with an attachment whose type is none', async () => {
  const media = { NumMedia: 3, MediaUrl0: url, MediaContentType0: {}, MediaUrl1: url, MediaUrl2: url };
  const types = { MediaContentType1: `image/${'x'.repeat(300)}`, MediaContentType2: ' ' };
  const { data } = expectStatus(await webhook.text({ From: newPhoneNumber(), ...media, ...types }), 200);
  const unknown = 'application/octet-stream';
  expect(await messages(data.conversationId)).toMatchObject([
    { attachments: [{ type: unknown }, { type: `image/${'x'.repeat(194)}` }, { type: unknown }] },
  ]);
});

test('A text message is stored without that for which its provider says null', async () => {
  const nothing = { SmsSid: null, Body: null, NumMedia: null };
  const { data } = expectStatus(await webhook.text({ From: newPhoneNumber(), ...nothing }), 200);
  expect(await messages(data.conversationId)).toMatchObject([{ content: '', attachments: [] }]);
  const media = { NumMedia: 1, MediaUrl0: 'https://media.example.com/1', MediaContentType0: null };
  const sent = expectStatus(await webhook.text({ From: newPhoneNumber(), Body: null, ...media }), 200).data;
  const type = 'application/octet-stream';
  expect(await messages(sent.conversationId)).toMatchObject([{ attachments: [{ type }] }]);
});

test.each([[''], [null]])(
  'A text message has its id in `SmsSid` beside %j as MessageSid',
  async (MessageSid) => {
    const SmsSid = newSid();
    const telling = { From: newPhoneNumber(), MessageSid, SmsSid };
    const { data } = expectStatus(await webhook.text(telling), 200);
    expect(await messages(data.conversationId)).toMatchObject([{ providerMessageId: SmsSid }]);
    expect(expectStatus(await webhook.text(telling), 200).data).toEqual({ ...data, duplicate: true });
  },
);

test.each([
  ['no MessageSid', { MessageSid: undefined }, 'MessageSid is required'],
  ['an empty MessageSid', { MessageSid: '' }, 'MessageSid is required'],
  ['nothing but null and space as ids', { MessageSid: null, SmsSid: ' ' }, 'MessageSid is required'],
  ['no sender', { From: undefined }, 'From is required'],
  ['an empty sender', { From: ' ' }, 'From must not be empty'],
  ['no recipient', { To: undefined }, 'To is required'],
  ['an object as Body', { Body: {} }, 'Body must be a string'],
  ['an object as sender', { From: {} }, 'From must be a string'],
  ['an id that is not a whole number', { MessageSid: 1.5 }, 'MessageSid must be a string'],
])('A text message with %s is 400 `{success: false, message}`', async (_, fields, message) => {
  expect(outcome(await webhook.text({ From: newPhoneNumber(), ...fields }))).toEqual(failure(400, message));
});

/** Decisions 10, "SMS webhook, never lost for a detail". */
test.each([4_096, 4_097, 9_000])(
  'Of a text message of %i characters the first 4,096 are stored',
  async (length) => {
    const { data } = expectStatus(
      await webhook.text({ From: newPhoneNumber(), Body: '👋'.repeat(length) }),
      200,
    );
    expect((await messages(data.conversationId))[0].content).toBe('👋'.repeat(4_096));
  },
);

test('The first 200 characters of a long MessageSid are stored, and all of it distinguishes messages', async () => {
  const From = newPhoneNumber();
  const tell = async (MessageSid: string) => expectStatus(await webhook.text({ From, MessageSid }), 200).data;
  const start = newSid().padEnd(200, 'x');
  const [one, other] = [await tell(`${start}1`), await tell(`${start}2`)];
  expect(other).toMatchObject({ duplicate: false, conversationId: one.conversationId });
  expect(await tell(`${start}1`)).toEqual({ ...one, duplicate: true });
  const sids = (await messages(one.conversationId)).map(
    ({ providerMessageId }: { providerMessageId: string }) => providerMessageId,
  );
  expect(sids).toEqual([start, start]);
});

/** Decisions 10, "Provider webhooks, types": a JSON integer in a provider's field is its digits, however many (RFC 8259, 6). */
test.each([
  ['123456789012345678901234567890'],
  ['120210000000000123'],
  ['9007199254740993'],
  ['5000.00'],
  ['0.10'],
  ['1e2'],
  ['-0'],
  ['0.0000001'],
  ['42'],
])('A text that is the JSON number %s has these digits', async (digits) => {
  const response = await webhook.text({ From: newPhoneNumber(), Body: exactNumber(digits) });
  const { conversationId } = expectStatus(response, 200).data;
  expect((await messages(conversationId))[0].content).toBe(digits);
});

test('Two messages whose ids differ in the last of 30 digits are two, and the same id is a repetition', async () => {
  const From = newPhoneNumber();
  const send = async (id: string) =>
    expectStatus(await webhook.text({ From, MessageSid: exactNumber(id) }), 200).data;
  const ids = ['123456789012345678901234567890', '123456789012345678901234567891'];
  const [first, second] = [await send(ids[0] as string), await send(ids[1] as string)];
  expect([first.duplicate, second.duplicate]).toEqual([false, false]);
  expect((await messages(second.conversationId))[0].providerMessageId).toBe(ids[1]);
  expect(await send(ids[0] as string)).toEqual({ ...first, duplicate: true });
});

test('A sender that is a JSON number of many digits keeps all of them', async () => {
  const digits = '882990000000000000000000000001';
  const { contactId } = expectStatus(await webhook.text({ From: exactNumber(digits) }), 200).data;
  const { text } = await product.call('read-contact', { token: rep.token, path: { id: contactId } });
  expect(text).toContain(digits);
});
