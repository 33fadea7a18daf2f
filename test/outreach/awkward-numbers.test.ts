import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/world.ts';
import { leadsClient } from './leads-client.ts';

// Decisions 6, "Phone numbers"; 10, "Outreach lead, never lost for a detail".

const { product, admin } = await setUpWorld();
const leads = leadsClient(product, admin);
const contacts = contactsClient(product, admin);
const { _id: configurationId } = await leads.configure();

const received = async (phoneNumber: string, more = '') => {
  const body = `{"configurationId": "${configurationId}", "firstName": "Ada", "phoneNumber": ${phoneNumber}${more}}`;
  return expectStatus(await product.call('receive-lead', { body }), 200);
};
const contactOf = async (phoneNumber: string) =>
  leads.contact((await received(phoneNumber)).data.contactId) as Promise<{
    phoneNumbers: { value: string; extension?: string }[];
    customFields: object;
  }>;

test.each([
  ['4915112345678.0', '+4915112345678'],
  ['"4915112345679.0"', '+4915112345679'],
  ['14155552671.0', '+14155552671'],
  ['"5215512345678"', '+5215512345678'],
  ['"+52 (01) 55 1234 5670"', '+525512345670'],
])('The number %s of a lead is %s', async (written, value) => {
  expect((await contactOf(written)).phoneNumbers).toMatchObject([{ value }]);
});

test.each([
  '"+14155552672; +14155552673"',
  '"+4930123456; 0171 1234567"',
  '"+14155552674;ext=1234567890123456789012345"',
])(
  'Two numbers in one field, or an extension without end, are no number: %s stays as it was sent',
  async (written) => {
    const { phoneNumbers, customFields } = await contactOf(written);
    expect([phoneNumbers, customFields]).toEqual([[], { phoneNumber: JSON.parse(written) }]);
    const { status } = await contacts.create({ phoneNumbers: [{ value: JSON.parse(written) }] });
    expect(status).toBe(400);
  },
);

test('A known contact gets the extension that a lead has for its number', async () => {
  const { _id } = await contacts.created({ phoneNumbers: [{ value: '+14155552675' }] });
  await received('"+1 415 555 2675 x77"');
  expect((await contacts.read(_id)).body.data.phoneNumbers).toMatchObject([{ extension: '77' }]);
});

test('The message names a number that gave way to custom data of that name', async () => {
  const { message } = await received('"call me"', ', "customData": {"phoneNumber": "other"}');
  expect(message).toBe('Lead received: new contact. Left out: phoneNumber');
});
