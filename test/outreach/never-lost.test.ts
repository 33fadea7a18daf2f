import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';
import { leadsClient } from './leads-client.ts';
import { form, multipart } from './sent-forms.ts';

const { product, admin } = await setUpTenants();
const leads = leadsClient(product, admin);
const { _id: configurationId } = await leads.configure();

type Fields = Record<string, unknown>;

let numbers = 0;

/** Another number each time, of those that Ofcom keeps for drama (London, 020 7946 0000 to 0999): every numbering plan takes it. */
const drama = () => `4420${79_460_000 + numbers++}`;

/** Sends a lead with nothing but these fields, as JSON; what a reader of the contact sees of it. */
async function became(lead: Fields, more = {}) {
  const body = { configurationId, ...lead };
  const { data } = expectStatus(await product.call('receive-lead', { body, ...more }), 200);
  const contact = await leads.contact(data.contactId);
  const { firstName, lastName, email, customFields } = contact;
  const [phoneNumber] = (contact.phoneNumbers as { value: string }[]).map(({ value }) => value);
  return { firstName, lastName, email, phoneNumber, customFields };
}

const nothing = {
  firstName: '',
  lastName: '',
  email: null as string | null,
  phoneNumber: undefined,
  customFields: {},
};
const long = '🎈'.repeat(199);
const longEmail = `${'a'.repeat(250)}@example.com`;

/**
 * Decisions 10, "Outreach lead, never lost for a detail": numbers and booleans where a text belongs are its text, what is no number or
 * address is kept under its name. Lengths count code points (decisions 1, "Input caps"). The texts of numbers are those of JavaScript
 * (ECMA-262, Number::toString).
 */
test.each<[string, Fields, Partial<typeof nothing> & { customFields?: Fields }]>([
  ['a mononym and an empty last name', { firstName: 'Suharto', lastName: '' }, { firstName: 'Suharto' }],
  ['a mononym and no last name', { firstName: 'Pelé' }, { firstName: 'Pelé' }],
  ['a last name of null', { firstName: 'Cher', lastName: null }, { firstName: 'Cher' }],
  ['nothing but a last name', { lastName: 'Nguyễn' }, { lastName: 'Nguyễn' }],
  ['nothing but an email', { email: 'x@example.com' }, { email: 'x@example.com' }],
  ['blanks around names', { firstName: '\t Ann ', lastName: '  ' }, { firstName: 'Ann' }],
  ['a number as a name', { firstName: 7, lastName: 1e21 }, { firstName: '7', lastName: '1e+21' }],
  ['a boolean as a name', { firstName: true, lastName: 'Ng' }, { firstName: 'true', lastName: 'Ng' }],
  ['a first name of 202 characters', { firstName: `${long}abc` }, { firstName: `${long}a` }],
  [
    'a last name of 5,000 characters',
    { firstName: 'Ann', lastName: 'ü'.repeat(5_000) },
    { firstName: 'Ann', lastName: 'ü'.repeat(200) },
  ],
  ['blanks where a name is cut', { firstName: `${long} Ann` }, { firstName: long }],
  [
    'a name in two parts',
    { firstName: { first: 'Ann', last: 'Lee' }, lastName: 'Lee' },
    { lastName: 'Lee', customFields: { firstName: { first: 'Ann', last: 'Lee' } } },
  ],
  ['an empty phone number', { firstName: 'Ann', phoneNumber: '' }, { firstName: 'Ann' }],
  ['a blank phone number', { firstName: 'Ann', phoneNumber: ' \u00a0' }, { firstName: 'Ann' }],
  ['a blank email', { firstName: 'Ann', email: ' ' }, { firstName: 'Ann' }],
  [
    'customData that has a field of the same name as one that is kept',
    { firstName: 'Ann', phoneNumber: 'none', customData: { phoneNumber: 'the old one' } },
    { firstName: 'Ann', customFields: { phoneNumber: 'the old one' } },
  ],
  [
    'customData that is JSON text',
    { firstName: 'Ann', plan: 'free', customData: '{"plan": "pro", "seats": 3}' },
    { firstName: 'Ann', customFields: { plan: 'pro', seats: 3 } },
  ],
])('A lead with %s is not lost', async (_, lead, expected) => {
  expect(await became(lead)).toEqual({ ...nothing, ...expected });
});

test.each<[string, Fields]>([
  ['a list of last names', { lastName: ['Lee', 'Ng'] }],
  ['a phone number that is a note', { phoneNumber: 'ask at the desk' }],
  ['a phone number without an area', { phoneNumber: '555-0100' }],
  ['a short JSON number', { phoneNumber: 12_345 }],
  ['a spreadsheet’s error', { phoneNumber: '#N/A', email: '#REF!' }],
  ['a rounded number', { phoneNumber: '4.91512E+12' }],
  ['a false phone number', { phoneNumber: false }],
  ['a phone number in parts', { phoneNumber: { full: '(303) 555-0100' } }],
  ['an email with a name', { email: 'Ann Lee <ann@example.com>' }],
  ['an email of more than 254 characters', { email: longEmail }],
  ['a list of emails', { email: ['ann@example.com'] }],
  ['customData that is a list', { customData: ['a'] }],
  ['customData that is another text', { customData: 'plan: pro' }],
  ['customData that is the JSON text of a list', { customData: '["pro"]' }],
  ['fields called like members of customData', { 'customData[utm]': 'a', 'customData.plan': 'b' }],
])('A lead with %s keeps it under its name', async (_, customFields) => {
  expect(await became({ firstName: 'Ann', ...customFields })).toEqual({
    ...nothing,
    firstName: 'Ann',
    customFields,
  });
});

test.each<[string, (digits: string) => unknown]>([
  ['a JSON number', Number],
  ['digits without a plus', (digits) => digits],
  ['digits with the blank of a plus that a form did not encode', (digits) => ` ${digits}`],
  ['blanks and dashes', (digits) => ` +44 20-${digits.slice(4, 8)}–${digits.slice(8)} `],
])('A lead whose phone number is %s has it', async (_, write) => {
  const digits = drama();
  expect((await became({ firstName: 'Ann', phoneNumber: write(digits) })).phoneNumber).toBe(`+${digits}`);
});

test.each([
  ['blanks around it', `\n ${configurationId}\t`],
  ['a no-break space behind it', `${configurationId}\u00a0`],
])('A lead whose configurationId has %s is of that configuration', async (_, written) => {
  expect(await became({ configurationId: written, firstName: 'Ann' })).toMatchObject({ firstName: 'Ann' });
});

test.each([[7], [true], [1.5e300]])(
  'A lead whose configurationId is %j is 404, as no configuration has this id',
  async (id) => {
    const response = await product.call('receive-lead', { body: { configurationId: id, firstName: 'Ann' } });
    expect(outcome(response)).toEqual(failure(404, 'Outreach configuration not found'));
  },
);

const needs = 'The lead names nobody. Send at least one of firstName, lastName, phoneNumber and email.';

test.each<[Fields]>([
  [{}],
  [{ firstName: '', lastName: ' ', phoneNumber: null, email: '' }],
  [{ phoneNumber: 'none', city: 'London' }],
  [{ email: 'ann at example.com', customData: { firstName: 'Ann' } }],
  [{ firstName: { first: 'Ann' }, lastName: ['Lee'] }],
])('A lead of %j names nobody, and is 400 with what is needed', async (lead) => {
  const body = { configurationId, ...lead };
  expect(outcome(await product.call('receive-lead', { body }))).toEqual(failure(400, needs));
});

test.each([
  ['{"configurationId": "x", "firstName": "Ann"', 'body must be valid JSON'],
  ['["Ann"]', 'body must be a JSON object'],
  ['{"firstName": "Ann", "customData": {"__proto__": 1}}', 'body must not contain the key __proto__'],
  [
    `{"configurationId": "${configurationId}", "firstName": "Ann", "customData": "{\\"a\\": {\\"__proto__\\": 1}}"}`,
    'body must not contain the key __proto__',
  ],
])('A lead of %j is 400', async (body, message) => {
  expect(outcome(await product.call('receive-lead', { body }))).toEqual(failure(400, message));
});

test('A lead without a number becomes a contact of its own each time, with an SMS conversation', async () => {
  const send = async (city: string) => leads.sent(configurationId, { phoneNumber: 'none', city });
  const [first, second] = [await send('Paris'), await send('Rome')];
  expect(second.contactId).not.toBe(first.contactId);
  expect(await leads.conversations(first.contactId)).toMatchObject([
    { _id: first.conversationId, channel: 'sms', messageCount: 0 },
  ]);
});

test('A lead of a caller whose name is not known does not take away the name by which the contact is called', async () => {
  const phoneNumber = `+${drama()}`;
  const { token } = admin;
  const body = { callerNumber: phoneNumber };
  expectStatus(await product.call('record-missed-call', { token, body }), 201);
  expect(await became({ phoneNumber, lastName: '' })).toMatchObject({
    ...{ firstName: 'Unknown Caller', lastName: '' },
    phoneNumber,
  });
});

/** RFC 7578 and the URL standard, 5.1 (application/x-www-form-urlencoded): every value of a form is a text. */
test.each([
  ['a form', form],
  ['a multipart form', multipart],
])('A lead that is %s gets a JSON response, and has all that JSON could say', async (_, encoded) => {
  const digits = drama();
  const fields = {
    ...{ configurationId, firstName: 'Žofie', lastName: '', phoneNumber: `+${digits}`, email: 'zofie' },
    ...{ consent: 'on', budget: '1e3', note: 'a & b = c\r\n+1', 'customData[utm]': 'spring' },
    customData: '{"plan": "pro", "consent": false}',
  };
  const response = await product.call('receive-lead', await encoded(fields));
  const { message, data } = expectStatus(response, 200);
  expect(message).toMatch(/^Lead received: /);
  expect(await leads.contact(data.contactId)).toMatchObject({
    ...{ firstName: 'Žofie', lastName: '', email: null },
    phoneNumbers: [{ value: `+${digits}` }],
    customFields: {
      ...{ plan: 'pro', consent: false, budget: '1e3', note: 'a & b = c\r\n+1' },
      ...{ email: 'zofie', 'customData[utm]': 'spring' },
    },
  });
});

const numbered = (count: number, name = (index: number) => `${index}`) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), 'x']));

test('customData has room before the further fields of a lead, and what is kept for a field that is none before the rest', async () => {
  const customData = numbered(48, (index) => `own ${index}`);
  // Field builders number their fields; such names come first in a JavaScript object.
  const lead = { firstName: 'Ann', phoneNumber: 'none', ...numbered(3), customData };
  const { body } = await leads.send(configurationId, lead);
  expect(body.message).toBe('Lead received: new contact. Left out: 1, 2');
  const { customFields } = await leads.contact(body.data.contactId);
  expect(customFields).toEqual({ ...customData, phoneNumber: 'none', 0: 'x' });
});

test('customData has room before further fields also in a contact that is almost full', async () => {
  const phoneNumber = `+${drama()}`;
  const known = numbered(49, (index) => `known ${index}`);
  const { contactId } = await leads.sent(configurationId, { phoneNumber, customData: known });
  await leads.sent(configurationId, { phoneNumber, 7: 'further', customData: { plan: 'pro' } });
  expect((await leads.contact(contactId)).customFields).toEqual({ ...known, plan: 'pro' });
});
