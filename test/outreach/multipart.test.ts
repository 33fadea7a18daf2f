import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { leadsClient } from './leads-client.ts';

/** Multipart forms as programs write them (RFC 7578, RFC 2046), and as attackers might. */

const { product, admin } = await setUpTenants();
const leads = leadsClient(product, admin);
const { _id: configurationId } = await leads.configure();

/** Long and random, as browsers make it, so that no value has it. */
const boundary = '----WebKitFormBoundary7MA4YWxkTrZu0gW';
const type = `multipart/form-data; boundary=${boundary}`;
const field = (name: string, value: string, more = '') =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const id = field('configurationId', configurationId);
const end = `--${boundary}--\r\n`;

const send = (body: string, contentType = type) =>
  product.call('receive-lead', { body, headers: { 'content-type': contentType } });
const customFields = async (body: string, contentType?: string) =>
  (await leads.contact(expectStatus(await send(body, contentType), 200).data.contactId)).customFields;

const name = field('firstName', 'Ada');
const city = { city: 'Paris' };

test.each([
  ['as browsers do', id + name + field('city', 'Paris') + end, type],
  ['without a line break at its end', `${id}${name}${field('city', 'Paris')}--${boundary}--`, type],
  [
    'with a preamble and an epilogue (RFC 2046, 5.1.1)',
    `Hello\r\n${id}${name}${field('city', 'Paris')}${end}Bye`,
    type,
  ],
  [
    'with the boundary in quotes',
    id + name + field('city', 'Paris') + end,
    `multipart/form-data; boundary="${boundary}"`,
  ],
  [
    'with a type in capitals',
    id + name + field('city', 'Paris') + end,
    `Multipart/Form-Data; Boundary=${boundary}`,
  ],
  [
    'with headers of its parts, in another order and case',
    `${id}${name}--${boundary}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-disposition: form-data; name=city\r\n\r\nParis\r\n${end}`,
    type,
  ],
  [
    'with a transfer encoding (RFC 7578, 4.7, deprecated)',
    `${id}${name}--${boundary}\r\nContent-Disposition: form-data; name="city"\r\nContent-Transfer-Encoding: 8bit\r\n\r\nParis\r\n${end}`,
    type,
  ],
])('A lead that is a multipart form is received %s', async (_, body, contentType) => {
  expect(await customFields(body, contentType)).toEqual(city);
});

test.each([
  ['a multipart form', id + name + field('city', 'Paris') + field('city', 'Rome') + end, type],
  [
    'a form',
    `configurationId=${configurationId}&firstName=Ada&firstName=Bea&city=Paris&city=Rome`,
    'application/x-www-form-urlencoded',
  ],
])('Of several values of one name in %s none is lost', async (_, body, contentType) => {
  expect(await customFields(body, contentType)).toEqual({ city: ['Paris', 'Rome'] });
});

test('The boundary of a multipart form may be short, and a value may look like it', async () => {
  const parts = [
    `name="configurationId"\r\n\r\n${configurationId}`,
    'name="firstName"\r\n\r\nAda',
    'name="city"\r\n\r\nX --X Paris',
  ];
  const body = `${parts.map((part) => `--X\r\nContent-Disposition: form-data; ${part}\r\n`).join('')}--X--\r\n`;
  expect(await customFields(body, 'multipart/form-data; boundary=X')).toEqual({ city: 'X --X Paris' });
});

test('Of a file in a lead the name is kept, whatever its bytes', async () => {
  const file = field('cv', '%PDF-1.7 \u0000\u0001', '; filename="cv.pdf"');
  expect(await customFields(id + name + file + end)).toEqual({ cv: 'cv.pdf' });
});

test('Names and values of a multipart form are in NFC', async () => {
  const body = id + name + field('Gro\u0308\u00dfe', 'Cafe\u0301') + end;
  expect(await customFields(body)).toEqual(Object.fromEntries([['Größe', 'Café']]));
});

test('A number in a form is text, with its digits', async () => {
  const body = id + name + field('ad', '120210000000000123') + field('price', '5000.00') + end;
  expect(await customFields(body)).toEqual({ ad: '120210000000000123', price: '5000.00' });
});

test('A body that parses as JSON is JSON, although its type says multipart', async () => {
  const body = JSON.stringify({ configurationId, firstName: 'Ada', score: 7 });
  expect(await customFields(body)).toEqual({ score: 7 });
});

const unreadable = 'body must be a complete form with the boundary that its content type names (RFC 7578)';

test.each([
  ['is cut off', id + name, type, unreadable],
  ['has no boundary in its type', id + name + end, 'multipart/form-data', unreadable],
  ['has another boundary than its type', id + name + end, 'multipart/form-data; boundary=C', unreadable],
  ['is empty', '', type, unreadable],
  [
    'has a part without a name',
    `${id}--${boundary}\r\nContent-Disposition: form-data\r\n\r\nx\r\n${end}`,
    type,
    unreadable,
  ],
  ['has a part without headers', `${id}--${boundary}\r\n\r\nx\r\n${end}`, type, unreadable],
  [
    'has a field `__proto__`',
    id + name + field('__proto__', 'x') + end,
    type,
    'body must not contain the key __proto__',
  ],
])('A multipart form that %s is refused with what to do', async (_, body, contentType, message) => {
  const response = await send(body, contentType);
  expect([response.status, response.body.message]).toEqual([400, message]);
});

test('A multipart form of thousands of fields is received as far as they fit', async () => {
  const many = Array.from({ length: 2_000 }, (_, index) => field(`f${index}`, '')).join('');
  expect(Object.keys((await customFields(id + name + many + end)) as object)).toHaveLength(50);
});
