import { expect, test } from 'vitest';
import { conversationsClient } from '../conversations/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { prepareOutgoing } from './outgoing.ts';

const { product, admin, rep, newContact } = await setUpTenants();
const client = conversationsClient(product, rep);

const marks = { acute: '\u0301', circumflex: '\u0302', hook: '\u0309' };

/**
 * Texts as they were typed, as they are sent, and how many messages they take. Sources: the composed form, Unicode Standard Annex 15 (NFC);
 * the characters of 7 bits, 3GPP TS 23.038, 6.2.1; the 160 or 70 of one message, and 153 or 67 of a part, 3GPP TS 23.040, 9.2.3.24.1.
 */
const texts: readonly (readonly [string, string, number])[] = [
  [`Caf${'e'}${marks.acute} `.repeat(32), 'Café '.repeat(32), 1],
  // Not of the 7-bit alphabet, but one unit of 16 bits each instead of two.
  [`e${marks.circumflex}`.repeat(70), 'ê'.repeat(70), 1],
  [`e${marks.circumflex}${marks.hook}`.repeat(60), 'ể'.repeat(60), 1],
  ['\u1112\u1161\u11ab'.repeat(70), '한'.repeat(70), 1],
  // The sign for ohms is a Greek letter, which the alphabet has.
  ['10 \u2126', '10 Ω', 1],
  // No composed form exists: the accent stays.
  [`x${marks.acute}`.repeat(35), `x${marks.acute}`.repeat(35), 1],
  // Compatible characters are others, and stay what they are.
  ['ﬁ ｅ ²', 'ﬁ ｅ ²', 1],
  ['👩‍👩‍👧 Grüße', '👩‍👩‍👧 Grüße', 1],
];

test.each(texts)('A text typed as %j is sent as %j, in %i messages', async (typed, sent, segments) => {
  const { _id: contactId } = await newContact();
  const { data } = expectStatus(await client.send({ contactId, content: typed }), 201);
  expect([data.content, data.segments]).toEqual([sent, segments]);
});

test('A letter with more marks than any language has keeps them as they are, and the rest of its text is composed', async () => {
  const { _id: contactId } = await newContact();
  const long = 'x'.repeat(300);
  const odd = `a${`${marks.acute}\u0323`.repeat(20)}`;
  const content = `Cafe${marks.acute} ${long} ${odd} e${marks.acute}`;
  const { data } = expectStatus(await client.send({ contactId, content }), 201);
  expect(data.content).toBe(`Café ${long} ${odd} é`);
});

test('The provider gets the composed form of what a template, a name and a custom field are made of', async () => {
  const decomposed = (text: string) => text.normalize('NFD');
  const { _id: contactId } = await newContact({
    firstName: decomposed('Zoë'),
    customFields: { [decomposed('Größe')]: decomposed('Übermaß'), mark: marks.acute },
  });
  const body = {
    name: 'Greeting',
    template: decomposed('Olé {{firstName}}, {{größe}} caf{{mark}}e{{mark}}'),
    type: 'sms',
  };
  const template = expectStatus(await product.call('create-template', { token: rep.token, body }), 201);
  const { data } = expectStatus(await client.send({ contactId, templateId: template.data._id }), 201);
  const text = `Olé Zoë, Übermaß caf${marks.acute}é`;
  expect(data.content).toBe(text);
  await (await prepareOutgoing(product)).tellAll(admin);
  expect(product.sentMessages.filter(({ id }) => id === data._id).map(({ content }) => content)).toEqual([
    text,
  ]);
});
