import { expect, test } from 'vitest';
import { setUpWorld } from '../harness/fixtures.ts';
import { expectStatus, failure, newPhoneNumber, outcome } from '../harness/world.ts';
import { newSid, newWebhookClient } from './webhook-client.ts';

const world = await setUpWorld();
const { product, rep, newContact } = world;
const webhook = await newWebhookClient(product, world.admin, rep);

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

test('Attachments of a text message may be ten, and a number in JSON', async () => {
  const urls = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`MediaUrl${index}`, url]));
  const { data } = expectStatus(
    await webhook.text({ From: newPhoneNumber(), NumMedia: 10, ...urls, MediaUrl10: 'ignored' }),
    200,
  );
  expect((await messages(data.conversationId))[0].attachments).toHaveLength(10);
});

test.each(['one', 1.5, -1, '-1', {}])(
  'A text message with %j attachments is stored with those that are there',
  async (NumMedia) => {
    const media = { NumMedia, MediaUrl0: url, MediaUrl2: `${url}2` };
    const { data } = expectStatus(await webhook.text({ From: newPhoneNumber(), Body: 'See', ...media }), 200);
    expect(await messages(data.conversationId)).toMatchObject([
      { content: 'See', attachments: [{ url }, { url: `${url}2` }] },
    ]);
  },
);

test.each([[{}], [{ NumMedia: null }], [{ NumMedia: '' }], [{ NumMedia: ' ' }]])(
  'A text message that does not say how many attachments it has is stored with those that are there: %j',
  async (number) => {
    const media = { ...number, MediaUrl0: url, MediaUrl1: `${url}2` };
    const { data } = expectStatus(await webhook.text({ From: newPhoneNumber(), Body: 'See', ...media }), 200);
    expect(await messages(data.conversationId)).toMatchObject([
      { content: 'See', attachments: [{ url }, { url: `${url}2` }] },
    ]);
  },
);

test.each(['0', 0])(
  'A text message that says it has %j attachments is stored without any',
  async (NumMedia) => {
    const { data } = expectStatus(
      await webhook.text({ From: newPhoneNumber(), NumMedia, MediaUrl0: url }),
      200,
    );
    expect(await messages(data.conversationId)).toMatchObject([{ attachments: [] }]);
  },
);

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

test('The first ten attachments of a text message that has more are stored', async () => {
  const urls = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`MediaUrl${index}`, `${url}-${index}`]),
  );
  const { data } = expectStatus(await webhook.text({ From: newPhoneNumber(), NumMedia: '12', ...urls }), 200);
  const [{ attachments }] = await messages(data.conversationId);
  expect(attachments.map((one: { url: string }) => one.url)).toEqual(Object.values(urls).slice(0, 10));
});

test.each<[Record<string, unknown>]>([
  [{}],
  [{ MediaUrl0: 'javascript:alert(1)' }],
  [{ MediaUrl0: 7 }],
  [{ MediaUrl0: `${url}/${'x'.repeat(2_000)}` }],
])('A text message is stored without an attachment that cannot be fetched: %j', async (media) => {
  const fields = { From: newPhoneNumber(), Body: 'See', NumMedia: 2, ...media, MediaUrl1: url };
  const { data } = expectStatus(await webhook.text(fields), 200);
  expect(await messages(data.conversationId)).toMatchObject([{ content: 'See', attachments: [{ url }] }]);
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
