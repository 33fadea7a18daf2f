import { expect, test } from 'vitest';
import { conversationsClient } from '../conversations/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { newWebhookClient } from './webhook-client.ts';

const tenants = await setUpTenants();
const { product, rep, newContact } = tenants;
const webhook = await newWebhookClient(product, tenants.admin, rep);
const conversations = conversationsClient(product, rep);

const contactOf = async (id: string) =>
  expectStatus(await product.call('read-contact', { token: rep.token, path: { id } }), 200).data;
const told = async (From: string, more: Record<string, unknown> = {}) =>
  expectStatus(await webhook.text({ From, ...more }), 200).data;

/**
 * Decisions 10, "SMS webhook, never lost for a detail": `From` may be a short code, a name or an address with a scheme: stored as it
 * came, the contact then has no number to call; `whatsapp:+1…` is a contact of its own beside the one with that number.
 */
test.each([
  ['a short code', '72404'],
  ['a name', 'Pizzeria Ö #1'],
  ['an address of another service', 'whatsapp:+15550100'],
  ['a number without country code', '303 555 0100'],
  ['an email address', 'ada@example.com'],
])(
  'A text message of %s becomes a contact without a number, which shows the sender as it came',
  async (_, from) => {
    const { contactId } = await told(` ${from} `);
    const contact = await contactOf(contactId);
    expect(contact).toMatchObject({
      firstName: 'Unknown Sender',
      source: 'Incoming SMS',
      phoneNumbers: [],
      customFields: { sender: from },
    });
    expect(Object.keys(contact)).not.toContain('sender');
    expect(outcome(await conversations.send({ contactId, content: 'Hello' }))).toEqual(
      failure(400, 'contactId must be the id of a contact with a phone number'),
    );
  },
);

test('The first 200 characters of a longer sender are stored', async () => {
  const { contactId } = await told('x'.repeat(300));
  expect((await contactOf(contactId)).customFields).toEqual({ sender: 'x'.repeat(200) });
});

test('Text messages of one sender without a number are in one conversation, however many come at once and whatever the contact is called', async () => {
  const From = `Bank ${newPhoneNumber()}`;
  const all = await Promise.all(Array.from({ length: 10 }, () => told(From)));
  expect(new Set(all.map(({ contactId }) => contactId)).size).toBe(1);
  const [{ contactId }] = all;
  const body = { firstName: 'My', lastName: 'bank', customFields: {} };
  await arrange(product.call('update-contact', { token: rep.token, path: { id: contactId }, body }));
  expect(await told(From)).toMatchObject({ contactId });
  expect((await conversations.list({ contactId })).body.data).toMatchObject([{ messageCount: 11 }]);
});

test('A WhatsApp address is a contact of its own beside the one with its number, and reaches the number without the scheme', async () => {
  const number = newPhoneNumber();
  const { _id } = await newContact({ phoneNumbers: [{ value: number }] });
  const to = { To: `whatsapp:${webhook.phoneNumber}` };
  const whatsapp = await told(`whatsapp:${number}`, to);
  expect(whatsapp.contactId).not.toBe(_id);
  expect(await told(number, to)).toMatchObject({ contactId: _id });
  expect(await told(`whatsapp:${number}`)).toMatchObject({ contactId: whatsapp.contactId });
});

test('A sender without a number whose contact was deleted is a new contact the next time', async () => {
  const From = `Shop ${newPhoneNumber()}`;
  const { contactId } = await told(From);
  await arrange(product.call('delete-contact', { token: rep.token, path: { id: contactId } }));
  const next = await told(From);
  expect(next.contactId).not.toBe(contactId);
  expect(await told(From)).toMatchObject({ contactId: next.contactId });
});
