import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { packedTexts, TextColumns } from '../../shared/column-index/text-columns.ts';
import { isFoundIn, searchedText, textSearch } from '../../shared/column-index/text-search.ts';
import type { StoredContact } from '../../shared/contacts/contact.ts';
import type { Conversation } from '../../shared/conversations/conversation.ts';
import { recipientNumber } from '../../shared/messages/recipient-number.ts';
import { callsClient } from '../calls/client.ts';
import { newVoiceClient } from '../calls/reports.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { leadsClient } from '../outreach/leads-client.ts';
import { contactsClient } from './client.ts';

const { product, admin, rep } = await setUpTenants();
const contacts = contactsClient(product, admin);
const sms = await newWebhookClient(product, admin, rep);
const voice = await newVoiceClient(product, admin, rep);
const calls = callsClient(product, admin);
const leads = leadsClient(product, admin);
const { _id: configurationId } = await leads.configure();

const digits = (count: number) => String(randomInt(10 ** (count - 1), 10 ** count));
const withNumber = (value: string, more: object = {}) => ({
  firstName: 'P',
  phoneNumbers: [{ value, ...more }],
});
const texted = async (From: string) => expectStatus(await sms.text({ From }), 200).data.contactId as string;
const called = async (From: string) =>
  expectStatus(await voice.report({ From, CallStatus: 'completed' }), 200).data.contactId as string;

/** Each as it is stored, and in other notations of the same number. Source: decisions 6, "Phone numbers". */
const notations: [string, () => [string, ...string[]]][] = [
  [
    'of Great Britain',
    () => {
      const [area, rest] = [digits(4), digits(4)];
      return [
        `+4420${area}${rest}`,
        `+44 (0)20 ${area} ${rest}`,
        `tel:+44-20-${area}-${rest}`,
        `0044/20/${area}/${rest}`,
      ];
    },
  ],
  [
    'of Mexico, without and with the old 1',
    () => {
      const rest = digits(8);
      return [`+5233${rest}`, `+52133${rest}`, `+52 1 33 ${rest}`, `0052133${rest}`];
    },
  ],
  [
    'of Mexico, with and without the old 1',
    () => {
      const rest = digits(8);
      return [`+52133${rest}`, `+5233${rest}`, `tel:+5233${rest}`];
    },
  ],
  [
    'of Brazil, with and without the ninth digit',
    () => {
      const rest = digits(7);
      return [`+5511${9}8${rest}`, `+55118${rest}`, `+55 (0)11 8${rest}`];
    },
  ],
  [
    'of Brazil, without and with the ninth digit',
    () => {
      const rest = digits(7);
      return [`+55217${rest}`, `+5521${9}7${rest}`];
    },
  ],
];

test.each(notations)(
  'A number %s is one contact, whatever brings it and however it is written',
  async (_, make) => {
    const [value, ...others] = make();
    const { _id, phoneNumbers } = await contacts.created(withNumber(value));
    expect(phoneNumbers).toMatchObject([{ value }]);
    for (const other of [value, ...others]) {
      expect(await texted(other)).toBe(_id);
      expect(await called(other)).toBe(_id);
      expect(await called(other.replace(/^tel:/, '').replace(/^(.*)$/, 'sip:$1@trunk.example.com'))).toBe(
        _id,
      );
      expect((await calls.answered(other)).contactId).toBe(_id);
      expect((await calls.dialed({ phoneNumber: other })).contactId).toBe(_id);
      expect((await calls.dialed({ contactId: _id, phoneNumber: other })).to).toBe(value);
      expect((await calls.missed({ callerNumber: other })).contactId).toBe(_id);
      expect((await leads.sent(configurationId, { phoneNumber: other })).contactId).toBe(_id);
      expect(await contacts.create(withNumber(other))).toMatchObject({
        status: 409,
        body: { contactId: _id },
      });
      expect(await contacts.everything({ search: other })).toMatchObject([{ _id }]);
    }
    const { data } = (await contacts.read(_id)).body;
    expect(data.phoneNumbers).toMatchObject([{ value }]);
  },
);

test.each(notations)(
  'A contact has a number %s once, and can have it in another notation',
  async (_, make) => {
    const [value, ...others] = make();
    const [other = ''] = others;
    const twice = { firstName: 'P', phoneNumbers: [{ value }, { value: other }] };
    expect((await contacts.create(twice)).body.message).toBe(
      'phoneNumbers must not contain the same number twice',
    );
    const { _id } = await contacts.created(withNumber(value));
    expect((await contacts.update(_id, withNumber(other))).status).toBe(200);
    expect(await contacts.create(withNumber(value))).toMatchObject({ status: 409, body: { contactId: _id } });
    await arrange(contacts.remove(_id));
    await contacts.created(withNumber(value));
  },
);

test('A contact is written to at its number as it is stored, although it wrote from the other notation', async () => {
  const numbers = ['+442071838750', '+523312345678'].map((value, index) => ({
    value,
    isPrimary: index === 0,
  }));
  const wroteFrom = (from: string) => ({ lastInbound: { from, to: sms.phoneNumber } }) as Conversation;
  const contact = { phoneNumbers: numbers } as StoredContact;
  expect(recipientNumber(contact, wroteFrom('+5213312345678'))).toBe('+523312345678');
  expect(recipientNumber(contact, wroteFrom('+5213312345679'))).toBe('+442071838750');
});

/** RFC 3986, 3.1: schemes are without case. Decisions 10: `whatsapp:+1…` is a contact of its own beside the one with that number. */
test('An address with a scheme is one sender, however scheme and number are written, and not the number itself', async () => {
  const rest = digits(7);
  const contactId = await texted(`whatsapp:+1303${rest}`);
  for (const other of [
    `WhatsApp:+1303${rest}`,
    `WHATSAPP:+1 (303) ${rest}`,
    ` whatsapp: +1-303-${rest} `,
    `whatsapp:001303${rest}`,
    `whatsapp:+1 (1) 303 ${rest}`,
  ]) {
    expect(await texted(other)).toBe(contactId);
  }
  expect((await contacts.read(contactId)).body.data).toMatchObject({
    phoneNumbers: [],
    customFields: { sender: `whatsapp:+1303${rest}` },
  });
  expect(await texted(`+1303${rest}`)).not.toBe(contactId);
  expect(await texted(`rcs:+1303${rest}`)).not.toBe(contactId);
  const mexican = await texted(`whatsapp:+52133${rest}1`);
  expect(await texted(`WhatsApp:+5233${rest}1`)).toBe(mexican);
});

test.each(['sip:+1303', 'SIPS:001303', 'sip:+1 303 ', 'tel:+1-303-'])(
  'A call from %s… is of the contact with the number',
  async (start) => {
    const rest = digits(7);
    const { _id } = await contacts.created(withNumber(`+1303${rest}`));
    const end = start.startsWith('tel') ? '' : '@trunk.example.com;transport=tls';
    expect(await called(`${start}${rest}${end}`)).toBe(_id);
  },
);

test.each(['sip:ada@example.com', 'SIP:2001@pbx.example.com', 'client:ada'])(
  'A call from %s is of a contact without a number, as no number is in it',
  async (From) => {
    const contactId = await called(From);
    const sender = From.replace('SIP', 'sip');
    expect((await contacts.read(contactId)).body.data).toMatchObject({
      phoneNumbers: [],
      customFields: { sender },
    });
  },
);

test.each([
  '+266696687',
  '+266 696 687',
  '+86282452253',
  '+656667',
  '+7378742833',
  '+8656696',
  'anonymous',
  'Restricted',
])('A text message and a call from %s have no number, and nobody can have it', async (From) => {
  expect((await contacts.read(await texted(From))).body.data.phoneNumbers).toEqual([]);
  const { data } = expectStatus(await voice.report({ From, CallStatus: 'no-answer' }), 200);
  expect((await contacts.read(data.contactId)).body.data).toMatchObject({
    phoneNumbers: [],
    customFields: {},
  });
  expect((await calls.missed({ callerNumber: From })).from).toBeUndefined();
  expect((await contacts.create(withNumber(From))).status).toBe(400);
});

test('An extension stays beside its number in all that shows the contact, and comes back by an update', async () => {
  const number = `+1303${digits(7)}`;
  const { _id, phoneNumbers } = await contacts.created(withNumber(`${number} ext. 12`, { label: 'office' }));
  const stored = [{ value: number, label: 'office', isPrimary: true, extension: '12' }];
  expect(phoneNumbers).toEqual(stored);
  expect((await contacts.update(_id, { phoneNumbers })).body.data.phoneNumbers).toEqual(stored);
  expect((await contacts.read(_id)).body.data.phoneNumbers).toEqual(stored);
  expect(await contacts.everything({ search: number })).toMatchObject([{ phoneNumbers: stored }]);
  const changed = await contacts.update(_id, withNumber(`${number};ext=7`, { extension: '12' }));
  expect(changed.body.data.phoneNumbers).toMatchObject([{ extension: '7' }]);
  for (const extension of ['', null]) {
    const { body } = await contacts.update(_id, withNumber(number, { extension }));
    expect(body.data.phoneNumbers).toEqual([{ value: number, label: '', isPrimary: true }]);
  }
  expect(await contacts.create(withNumber(number, { extension: 'abc' }))).toMatchObject({
    status: 400,
    body: { message: 'phoneNumbers[0].extension must be at most 20 digits' },
  });
  expect(await contacts.create(withNumber(`${number} x99`))).toMatchObject({ status: 409 });
});

test('A number is assigned, sent from and removed in any notation', async () => {
  const [first, second] = [digits(4), digits(4)];
  const path = { organizationId: admin.organizationId };
  const body = { userId: admin.userId, provider: 'twilio', phoneNumber: `+44 (0)20 ${first} ${second}` };
  const { data } = expectStatus(
    await product.call('assign-phone-number', { token: admin.token, path, body }),
    201,
  );
  expect(data.phoneNumber).toBe(`+4420${first}${second}`);
  expect(await texted(`+1303${digits(7)}`)).toBeDefined();
  const { contactId } = expectStatus(
    await sms.text({ From: `+1303${digits(7)}`, To: `whatsapp:0044 (0)20 ${first}${second}` }),
    200,
  ).data;
  expect(contactId).not.toBeNull();
  const phoneNumber = `tel:+44-20-${first}-${second}`;
  const removed = await product.call('remove-phone-number', {
    token: admin.token,
    path: { ...path, phoneNumber },
  });
  expect(removed.status).toBe(200);
});

/** Specification and decisions 6, "search": also by digits alone and with `00`, `tel:` or a national `0` in front. */
const numbers = [
  '+442071838750',
  '+393481112222',
  '+390647451',
  '+5215512345678',
  '+551187654321',
  '+14155550133',
];
test.each<[string, readonly string[]]>([
  ['+442071838750', ['+442071838750']],
  ['442071838750', ['+442071838750']],
  ['00442071838750', ['+442071838750']],
  ['0044 20 7183', ['+442071838750']],
  ['020 7183 8750', ['+442071838750']],
  ['(020) 7183-87', ['+442071838750']],
  ['+44 (0)20 7183', ['+442071838750']],
  ['+44 (0)20 7183 8750', ['+442071838750']],
  ['44 (0) 20 7183 8750', ['+442071838750']],
  ['011 44 20 7183 8750', ['+442071838750']],
  ['tel:+44-20-7183', ['+442071838750']],
  ['TEL:+442071838750;ext=5', ['+442071838750']],
  ['sip:+442071838750@example.com', ['+442071838750']],
  ['p:+442071838750', ['+442071838750']],
  ['+442071838750 ext. 12', ['+442071838750']],
  ['+٤٤ ٢٠ ٧١٨٣', ['+442071838750']],
  ['＋４４２０７１', ['+442071838750']],
  ['207’183’87', ['+442071838750']],
  ['207_183/87', ['+442071838750']],
  ['\u200e+44\u00a020\u2011718', ['+442071838750']],
  ['06 4745', ['+390647451']],
  ['+39 (0)6 4745', ['+390647451']],
  ['+39 06', ['+390647451']],
  ['348 111', ['+393481112222']],
  ['+52 55 1234 5678', ['+5215512345678']],
  ['+5215512345678', ['+5215512345678']],
  ['+55 11 98765-4321', ['+551187654321']],
  ['+55 11 8765-4321', ['+551187654321']],
  ['(415) 555-01', ['+14155550133']],
  ['0', ['+442071838750', '+390647451', '+14155550133']],
  ['00', []],
  ['+46', []],
  ['+44 21', []],
  ['tel:', []],
  ['x442071838750', []],
  ['44-a', []],
])('A search for %j finds %j, by cards and by the index alike', (search, found) => {
  const rows = numbers.map((value) =>
    searchedText({ firstName: 'A', lastName: 'B', phoneNumbers: [{ value, label: '', isPrimary: true }] }),
  );
  const wanted = textSearch(search.normalize('NFKC').toLowerCase());
  expect(numbers.filter((_, row) => isFoundIn(wanted, rows[row] ?? { name: '', phones: [] }))).toEqual(found);
  const marks = new Uint8Array(rows.length);
  new TextColumns(packedTexts(rows)).mark(wanted, marks);
  expect(numbers.filter((_, row) => marks[row] === 1)).toEqual(found);
});
