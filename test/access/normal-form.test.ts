import { expect, test } from 'vitest';
import { newContactsClient } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';

/** Decisions 1, "Text": one normal form at the door. The forms are those of Unicode Standard Annex 15 (NFC). */

const product = await setUpProduct();
const contacts = await newContactsClient(product);
const { token } = contacts.admin;

const created = async (body: string) =>
  expectStatus(await product.call('create-contact', { token, body }), 201).data;

test.each([
  ['a letter and a mark', 'e\u0301', 'é'],
  ['the same as escapes', '\\u0065\\u0301', 'é'],
  ['an escaped mark behind a letter', 'e\\u0301', 'é'],
  ['two marks in the other order', 'q\u0307\u0323', 'q\u0323\u0307'],
  ['a letter with two marks', 'e\u0302\u0301', 'ế'],
  ['Hangul in parts', '\u1112\u1161\u11ab', '한'],
  ['Hangul in parts as escapes', '\\u1112\\u1161\\u11ab', '한'],
  ['kana with a voiced mark', '\u304b\u3099', 'が'],
  ['the sign for angstrom', '\u212b', 'Å'],
  ['the sign for ohm', '\\u2126', 'Ω'],
  ['a letter that NFC takes apart', '\u0958', '\u0915\u093c'],
  ['an ideograph for compatibility', '\ufa0e\uf900', '\ufa0e\u8c48'],
  ['a pair of surrogates that NFC takes apart', '\\ud834\\udd5e', '\ud834\udd57\ud834\udd65'],
  ['what is composed already', 'é', 'é'],
  ['a ligature, which is another character', 'ﬁ', 'ﬁ'],
])('A key and a value of a body are in NFC: %s', async (_, sent, stored) => {
  const body = `{"firstName": "A${sent}", "customFields": {"k${sent}": "v${sent}", "deep": [{"k${sent}": ["v${sent}"]}]}}`;
  const contact = await created(body);
  expect(contact).toMatchObject({
    firstName: `A${stored}`,
    customFields: { [`k${stored}`]: `v${stored}`, deep: [{ [`k${stored}`]: [`v${stored}`] }] },
  });
  expect(Object.keys(contact.customFields)[0]).toBe(`k${stored}`);
});

test.each([
  ['the composed one last', '"e\\u0301": 1, "é": 2'],
  ['the composed one first', '"é": 1, "e\\u0301": 2'],
  ['with others between', '"a": 3, "\\u0065\\u0301": 1, "b": 4, "é": 2'],
])('Of two keys that are the same in NFC the last one counts: %s', async (_, members) => {
  const { customFields } = await created(`{"firstName": "Ada", "customFields": {${members}}}`);
  expect(Object.entries(customFields)).toContainEqual(['é', 2]);
  expect(Object.keys(customFields)).not.toContain('e\u0301');
});

test('The fields keep their order when a key gets its normal form', async () => {
  const { customFields } = await created(
    '{"firstName": "A", "customFields": {"z": 1, "e\\u0301": 2, "a": 3}}',
  );
  expect(Object.keys(customFields)).toEqual(['z', 'é', 'a']);
});

test('A text with any number of marks is stored at once, and the same when it is sent again', async () => {
  const text = `${'x'.repeat(300)}e${'\u0316\u0301'.repeat(900)}`;
  const first = await created(JSON.stringify({ firstName: 'Ada', customFields: { text } }));
  const again = await product.call('update-contact', {
    token,
    path: { id: first._id },
    body: { customFields: first.customFields },
  });
  expect(again.body.message).toBe('No changes');
});

test('A filter in the query is compared in NFC, too', async () => {
  const name = 'Cafe\u0301 menu';
  const body = { name, template: 'Hello', type: 'sms' };
  const { data } = expectStatus(await product.call('create-template', { token, body }), 201);
  expect(data.name).toBe('Café menu');
  const workflow = { name, nodes: [], edges: [] };
  expectStatus(await product.call('create-workflow', { token, body: workflow }), 201);
  const list = await product.call('list-workflows', { token, query: { search: 'CAFE\u0301' } });
  expect(list.body.data.map((one: { name: string }) => one.name)).toEqual(['Café menu']);
});
