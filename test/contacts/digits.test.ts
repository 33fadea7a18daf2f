import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { leadsClient } from '../outreach/leads-client.ts';
import { newContactsClient } from './client.ts';

// RFC 8259, 6: a JSON number may have any number of digits; receivers with doubles change those beyond 2^53. Decisions 1, "Numbers in free data".

const product = await setUpProduct();
const contacts = await newContactsClient(product);
const { token } = contacts.admin;

/** The text of a number in a response, which no parser has read. */
const numberIn = (text: string, name: string) =>
  new RegExp(`"${name}":\\s*(-?[\\d.eE+-]+|null)`).exec(text)?.[1];

test.each([
  ['an id of a video (19 digits)', '7100000000000000123'],
  ['an id of an advertisement (17 digits)', '23851234567890129'],
  ['the first whole number that a double misses, 2^53 + 1', '9007199254740993'],
  ['its negative', '-9007199254740993'],
  ['the largest of 64 bits', '18446744073709551615'],
  ['40 digits', '1234567890123456789012345678901234567890'],
  ['400 digits, beyond any double', '7'.repeat(400)],
  ['a price with two decimals', '5000.00'],
  ['a rate that ends with a zero', '0.10'],
  ['30 decimals', '0.123456789012345678901234567890'],
  ['a coordinate with 18 decimals', '-48.858370123456789012'],
  ['a whole number with a fraction of zero', '1.0'],
  ['a zero with a fraction', '0.000'],
  ['a minus before a zero', '-0'],
  ['an exponent', '1e2'],
  ['an exponent with a sign in upper case', '6.02E+23'],
  ['a small exponent', '1.5e-10'],
  ['seven decimals, which a double writes with an exponent', '0.0000001'],
  ['a small negative with nine decimals', '-0.000000025'],
  ['a number too small for 64 bits', '1e-400'],
  ['a usual whole number', '42'],
  ['a usual decimal', '42.5'],
  ['zero', '0'],
  ['2^53 itself', '9007199254740992'],
])('A custom field comes back with the digits it was sent with: %s', async (_, digits) => {
  const body = `{"firstName": "Ada", "customFields": {"plain": ${digits}, "deep": {"list": [true, {"n": ${digits}}]}}}`;
  const created = await product.call('create-contact', { token, body });
  expect(created.status).toBe(201);
  const read = await product.call('read-contact', { token, path: { id: created.body.data._id } });
  for (const { text } of [created, read]) {
    expect([numberIn(text, 'plain'), numberIn(text, 'n')]).toEqual([digits, digits]);
  }
  const again = await product.call('update-contact', {
    token,
    path: { id: created.body.data._id },
    body: `{"setCustomFields": {"plain": ${digits}}}`,
  });
  expect(again.body.message).toBe('No changes');
});

test.each([
  ['an exponent beyond 64 bits', '{"firstName": "Ada", "customFields": {"n": 1e400}}', 'customFields.n'],
  ['a number where a text belongs', '{"firstName": 9007199254740993}', 'firstName'],
  ['a fraction in place of digits', '{"firstName": "Ada", "customFields": 5000.00}', 'customFields'],
  ['a number that JSON does not have', '{"firstName": "Ada", "customFields": {"n": 01}}', 'body'],
  ['a number with two points', '{"firstName": "Ada", "customFields": {"n": 1.2.3}}', 'body'],
])('A contact with %s is refused, and the message names the field', async (_, body, at) => {
  const response = await product.call('create-contact', { token, body });
  expect(response).toMatchObject({ status: 400, body: { error: 'Invalid request' } });
  expect(response.body.message).toMatch(new RegExp(`^${at.replace('.', '\\.')} must`));
});

test('A described number may be written with a fraction of zero, and one beyond 64 bits is refused', async () => {
  const list = (body: string) => product.call('list-contacts-by-stage', { token, body });
  expect((await list('{"size": 5.0}')).status).toBe(200);
  expect((await list('{"size": 5e0}')).status).toBe(200);
  expect((await list('{"size": 5.5}')).status).toBe(400);
  expect((await list(`{"size": 1${'0'.repeat(400)}}`)).body.message).toBe(
    'size must be a number that fits into 64 bits',
  );
});

test.each([
  ['120210000000000123', '120210000000000123', true],
  ['120210000000000123', '120210000000000124', false],
  ['120210000000000123', '120210000000000120', false],
  ['5000.00', '5000', true],
  ['5000', '5000.0', true],
  ['5e3', '5000', true],
  ['0.0000001', '1e-7', true],
  ['0.1', '0.10', true],
  ['0.1', '0.1000000000000000055511151231257827', false],
  ['-0', '0', true],
  ['7100000000000000123', '"^7100000000000000123$"', true],
  ['7100000000000000123', '"^7100000000000000122$"', false],
  ['5000.00', '"^5000\\\\.00$"', true],
  ['42', '[41, 42.0]', true],
])('A field of %s and a custom filter of %s: found is %s', async (stored, wanted, isFound) => {
  const name = `n${stored}${wanted}`.replaceAll(/\W/g, '_');
  const created = await product.call('create-contact', {
    token,
    body: `{"firstName": "Grace", "customFields": {"${name}": ${stored}}}`,
  });
  expect(created.status).toBe(201);
  const found = await product.call('list-contacts-by-stage', {
    token,
    body: `{"customFilters": {"${name}": ${wanted}}}`,
  });
  expect(found.status).toBe(200);
  expect(found.text.includes(created.body.data._id)).toBe(isFound);
});

test('An 18-digit id and a number with 30 decimals have the same digits in lead, contact, filter, condition, application and export', async () => {
  const [id, decimal] = ['120210000000000123', '0.123456789012345678901234567890'];
  const both = `"ad": ${id}, "score": ${decimal}`;
  const leads = leadsClient(product, contacts.admin);
  const configuration = await leads.configure({ createApplication: true });
  const lead = await product.call('receive-lead', {
    body: `{"configurationId": "${configuration._id}", "phoneNumber": "+13035550177", "firstName": "Mary", "lastName": "Somerville",
      "ad": ${id}, "customData": {"score": ${decimal}}}`,
  });
  const { contactId } = expectStatus(lead, 200).data;
  const hasBoth = (text: string) =>
    expect([numberIn(text, 'ad'), numberIn(text, 'score')]).toEqual([id, decimal]);
  hasBoth((await product.call('read-contact', { token, path: { id: contactId } })).text);

  const board = await product.call('list-contacts-by-stage', { token, body: `{"customFilters": {${both}}}` });
  expect(board.text).toContain(contactId);
  hasBoth(board.text);

  const rule = (name: string, value: string) =>
    `{"field": "contact.customFields.${name}", "operator": "equals", "value": ${value}}`;
  const condition = async (adId: string) => {
    const created = await product.call('create-workflow', {
      token,
      body: `{"name": "Digits ${adId}", "nodes": [
        {"id": "start", "type": "trigger", "position": {"x": 0, "y": 0}, "data": {"event": "manual.started"}},
        {"id": "is", "type": "condition", "position": {"x": 0, "y": 1},
          "data": {"match": "all", "rules": [${rule('ad', adId)}, ${rule('score', decimal)}]}}
      ], "edges": [{"id": "1", "source": "start", "target": "is"}]}`,
    });
    const workflowId = expectStatus(created, 201).data._id;
    const simulated = await product.call('simulate-workflow', {
      token,
      path: { id: workflowId },
      body: { topic: 'manual.started', contactId },
    });
    return expectStatus(simulated, 200).data.path.at(-1).way;
  };
  expect(await condition(id)).toBe('true');
  expect(await condition('120210000000000124')).toBe('false');

  const application = await product.call('create-application', {
    token,
    body: `{"contactId": "${contactId}", "name": "Loan", "customFields": {${both}}}`,
  });
  const read = await product.call('read-application', {
    token,
    path: { id: expectStatus(application, 201).data._id },
  });
  hasBoth(read.text);

  const { text } = await product.call('read-separation-data', { token, path: { id: contactId } });
  expect(text.match(new RegExp(`"ad":\\s*${id}\\b`, 'g'))).toHaveLength(2);
  expect(text.match(new RegExp(`"score":\\s*${decimal}\\b`, 'g'))).toHaveLength(2);
});
