import { expect, test } from 'vitest';
import { conversationsClient } from '../conversations/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { newWebhookClient } from './webhook-client.ts';

// The fields are those that Twilio documents for messages of WhatsApp:
// https://www.twilio.com/docs/messaging/guides/webhook-request, "WhatsApp-specific parameters"

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const webhook = await newWebhookClient(product, admin, rep);
const conversations = conversationsClient(product, rep);

const newSender = () => `whatsapp:${newPhoneNumber()}`;
const told = async (fields: Record<string, unknown>) =>
  expectStatus(await webhook.text({ From: newSender(), Body: '', NumMedia: '0', ...fields }), 200).data;
const contentsOf = async (id: string): Promise<string[]> =>
  expectStatus(await product.call('list-messages', { token: rep.token, path: { id } }), 200).data.map(
    ({ content }: { content: string }) => content,
  );
const contactOf = async (id: string) =>
  expectStatus(await product.call('read-contact', { token: rep.token, path: { id } }), 200).data;

const eiffel = { Latitude: '48.85840', Longitude: '2.29450' };
const long = 'x'.repeat(5_000);

/** Decisions 10, "SMS webhook, never lost for a detail". */
test.each<[string, Record<string, unknown>, string]>([
  [
    'a place with name, address and position',
    { ...eiffel, Label: 'Eiffel Tower', Address: 'Champ de Mars, Paris' },
    'Location: Eiffel Tower, Champ de Mars, Paris (48.85840, 2.29450)',
  ],
  ['a position alone', eiffel, 'Location: 48.85840, 2.29450'],
  ['a position in numbers', { Latitude: -33.8568, Longitude: 151.2153 }, 'Location: -33.8568, 151.2153'],
  ['the position 0, 0', { Latitude: 0, Longitude: '0' }, 'Location: 0, 0'],
  [
    'a place with its name only',
    { ...eiffel, Label: ' Eiffel  Tower ' },
    'Location: Eiffel Tower (48.85840, 2.29450)',
  ],
  [
    'an address of two lines',
    { ...eiffel, Address: 'Allee 5\n75007 Paris' },
    'Location: Allee 5 75007 Paris (48.85840, 2.29450)',
  ],
  ['a place and a text', { ...eiffel, Body: 'Meet me' }, 'Meet me\nLocation: 48.85840, 2.29450'],
  ['a place and a text of blanks', { ...eiffel, Body: ' \n' }, 'Location: 48.85840, 2.29450'],
  ['half a position', { Latitude: '48.8584', Longitude: '' }, ''],
  ['half a position and a name', { Longitude: '2.29', Label: 'Eiffel Tower' }, 'Location: Eiffel Tower'],
  ['a name that is no position, and a text', { Address: '1 Main St', Body: 'Hello' }, 'Hello'],
  ['objects as a position', { Latitude: {}, Longitude: [], Body: 'Hello' }, 'Hello'],
  ['truth as a position', { Latitude: true, Longitude: false }, ''],
  [
    'null as a place',
    { Latitude: null, Longitude: null, Label: null, Address: null, Body: 'Hello' },
    'Hello',
  ],
  ['a button', { ButtonText: 'Yes, please', ButtonPayload: 'yes-1' }, 'Yes, please'],
  [
    'a button whose text is the message',
    { Body: 'Konfirmasi', ButtonText: 'Konfirmasi', ButtonPayload: '{id:1}' },
    'Konfirmasi',
  ],
  ['a button whose text is the message but for blanks', { Body: ' Yes ', ButtonText: 'Yes' }, ' Yes '],
  ['a button beside another text', { Body: 'At ten', ButtonText: 'Confirm' }, 'At ten\nConfirm'],
  ['a button without a text', { ButtonText: '', ButtonPayload: 'confirm' }, 'confirm'],
  ['a text and the id of a button', { Body: 'Confirm', ButtonPayload: 'confirm-4711' }, 'Confirm'],
  ['a number as a button', { ButtonText: 10 }, '10'],
  ['a list as a button', { ButtonText: ['Yes'], Body: 'Hello' }, 'Hello'],
  [
    'an item of a list',
    { ListId: 'slot-2', ListTitle: 'Tuesday, 10:00', ListDescription: 'With Rosa' },
    'Tuesday, 10:00',
  ],
  ['an item that is the message', { Body: 'Tuesday', ListId: 'slot-2', ListTitle: 'Tuesday' }, 'Tuesday'],
  ['an item without a title', { ListTitle: '', ListDescription: 'With Rosa', ListId: 'slot-2' }, 'With Rosa'],
  ['the id of an item alone', { ListId: 'slot-2' }, 'slot-2'],
  ['a button in two lines', { ButtonText: 'Yes\r\nplease' }, 'Yes please'],
  ['a decomposed button', { ButtonText: 'Cafe\u0301' }, 'Café'],
  ['a very long button', { ButtonText: long }, 'x'.repeat(4_096)],
  ['a text of WhatsApp of 4,096 emoji', { Body: '👋'.repeat(4_096) }, '👋'.repeat(4_096)],
  ['one character more', { Body: `${'ä'.repeat(4_096)}b` }, 'ä'.repeat(4_096)],
  ['a text that leaves no room for a place', { Body: long, ...eiffel }, 'x'.repeat(4_096)],
])('A message of %s is stored as a person can read it', async (_, fields, content) => {
  const { conversationId } = await told(fields);
  expect(await contentsOf(conversationId)).toEqual([content]);
});

test('A contact card is an attachment, as a picture is', async () => {
  const media = { NumMedia: '1', MediaUrl0: 'https://api.twilio.com/ME1', MediaContentType0: 'text/vcard' };
  const { conversationId } = await told(media);
  const { body } = await product.call('list-messages', { token: rep.token, path: { id: conversationId } });
  expect(body.data).toMatchObject([{ content: '', attachments: [{ type: 'text/vcard' }] }]);
});

test('Tapping a button that says STOP opts out, and one that says START opts in', async () => {
  const From = newPhoneNumber();
  const { contactId } = await told({ From, ButtonText: 'STOP', ButtonPayload: 'opt-out' });
  expect((await contactOf(contactId)).consent.sms).toBe('out');
  await told({ From, Body: 'Start', ButtonText: 'Start' });
  expect((await contactOf(contactId)).consent.sms).toBe('in');
});

test.each<[string, unknown, string]>([
  ['a name', 'Ada Lovelace', 'Ada Lovelace'],
  ['a name with blanks and line breaks', '  Ada\n\tLovelace ', 'Ada Lovelace'],
  ['a decomposed name', 'Jose\u0301', 'José'],
  ['a name in emoji', '👩‍🚀🌙', '👩‍🚀🌙'],
  ['a name of digits', 4711, '4711'],
  ['a name of 300 characters', '名'.repeat(300), '名'.repeat(200)],
  ['an empty name', '', 'Unknown Sender'],
  ['a name of blanks', ' \u3000', 'Unknown Sender'],
  ['a name that nobody can see', '\u200b\u2060\ufe0f', 'Unknown Sender'],
  ['no name', undefined, 'Unknown Sender'],
  ['null as a name', null, 'Unknown Sender'],
  ['an object as a name', { first: 'Ada' }, 'Unknown Sender'],
])('A new contact from a message with %s is called that, or as before', async (_, ProfileName, firstName) => {
  const { contactId } = await told({ Body: 'Hello', ProfileName });
  const contact = await contactOf(contactId);
  expect(contact).toMatchObject({ firstName, lastName: '', fullName: firstName, source: 'Incoming SMS' });
});

test('A contact that is known keeps its name, whatever the sender is called later', async () => {
  const From = newSender();
  const { contactId } = await told({ From });
  await told({ From, ProfileName: 'Ada' });
  expect((await contactOf(contactId)).firstName).toBe('Unknown Sender');
  const named = await told({ From: newPhoneNumber(), ProfileName: 'Grace' });
  const { phoneNumbers } = await contactOf(named.contactId);
  await told({ From: phoneNumbers[0].value, ProfileName: 'Hopper' });
  expect((await contactOf(named.contactId)).firstName).toBe('Grace');
});

test('Texts to a contact whom the provider named greet it by that name', async () => {
  const { contactId } = await told({ From: newPhoneNumber(), ProfileName: 'Grace' });
  const { token } = rep;
  const body = { name: 'Hello', template: 'Hi {{firstName}}!', type: 'sms', category: 'x', isShared: true };
  const template = expectStatus(await product.call('create-template', { token, body }), 201);
  const templateId = (template.data ?? template)._id;
  const sent = await conversations.send({ contactId, templateId });
  expect(expectStatus(sent, 201).data.content).toBe('Hi Grace!');
});

/** Decisions 10, "SMS webhook": a withheld sender is no number, whether it comes as a word or as that word's digits. */
test.each(['+266696687', 'Anonymous'])(
  'A message from %s, a withheld sender, is of a contact that nobody can call or write to',
  async (From) => {
    const { contactId } = await told({ From, Body: 'Hello' });
    expect(await contactOf(contactId)).toMatchObject({ phoneNumbers: [], customFields: { sender: From } });
    expect(outcome(await conversations.send({ contactId, content: 'Hello' }))).toEqual(
      failure(400, 'contactId must be the id of a contact with a phone number'),
    );
    expect(await told({ From, Body: 'Again' })).toMatchObject({ contactId, duplicate: false });
  },
);
