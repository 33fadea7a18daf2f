import { expect, test } from 'vitest';
import { after, minute } from '../../shared/kernel/time.ts';
import { contactsClient } from '../contacts/client.ts';
import { conversationsClient } from '../conversations/client.ts';
import { eventsOf } from '../harness/events.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { arrange, expectStatus, failure, newPhoneNumber, outcome } from '../harness/world.ts';
import { newWebhookClient } from './webhook-client.ts';

const { product, admin, rep, newContact } = await setUpWorld();
const webhook = await newWebhookClient(product, admin, rep);
const contacts = contactsClient(product, rep);
const conversations = conversationsClient(product, rep);

const outWords = 'STOP STOPALL UNSUBSCRIBE CANCEL END QUIT REVOKE OPTOUT REMOVE ARRET'.split(' ');
const inWords = ['START', 'UNSTOP', 'YES'];

/** A contact by what it writes, and whether it can be written to. */
async function newWriter() {
  const from = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: from }] });
  return {
    writes: async (Body: string) => expectStatus(await webhook.text({ From: from, Body }), 200).data,
    answer: () => conversations.send({ contactId, content: 'Hello' }),
  };
}

/**
 * Decisions 10, "Opt-out": a whole message of STOP, STOPALL, UNSUBSCRIBE, CANCEL, END, QUIT, REVOKE, OPTOUT, REMOVE, ARRET opts out,
 * START, UNSTOP, YES back in. How else they may be written is in `opt-out-words.test.ts`.
 */
test.each(outWords)(
  'A whole message of %s opts the contact out: to it nothing can be sent, 409',
  async (word) => {
    const writer = await newWriter();
    await writer.writes(word);
    expect(outcome(await writer.answer())).toEqual(
      failure(
        409,
        'The contact has opted out of text messages. It can opt in again by sending START, or you can record its consent.',
      ),
    );
  },
);

test.each(inWords)('A whole message of %s opts the contact back in', async (word) => {
  const writer = await newWriter();
  await writer.writes('STOP');
  expect((await writer.answer()).status).toBe(409);
  await writer.writes(word);
  expect((await writer.answer()).status).toBe(201);
});

test.each(['stop', 'Stop', ' STOP\r\n', '\u00a0sToPaLl\t'])(
  'A whole message of %j is understood whatever its case and the blanks around it',
  async (content) => {
    const writer = await newWriter();
    await writer.writes(content);
    expect((await writer.answer()).status).toBe(409);
  },
);

test.each(['END OF STORY', 'ENDE', 'CANCEL my order', '', ' '])(
  'A whole message of %j opts nobody out',
  async (content) => {
    const writer = await newWriter();
    await writer.writes(content);
    expect((await writer.answer()).status).toBe(201);
  },
);

test.each(['yes please', 'UNSTOPPABLE'])('A whole message of %j opts nobody in', async (content) => {
  const writer = await newWriter();
  await writer.writes('STOP');
  await writer.writes(content);
  expect((await writer.answer()).status).toBe(409);
});

test('A whole message that says the same again changes neither the time nor the source of the consent, and emits nothing', async () => {
  const from = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: from }] });
  const state = async () => [
    (await contacts.read(contactId)).body.data.consent,
    (await eventsOf(product, rep.organizationId)).filter(
      ({ event, data }) => event === 'contact_updated' && data.contactId === contactId,
    ).length,
  ];
  for (const [first, again] of [
    ['YES', 'Start'],
    ['STOP', 'stop'],
  ] as const) {
    await arrange(webhook.text({ From: from, Body: first }));
    const before = await state();
    await arrange(webhook.text({ From: from, Body: again }));
    expect(await state()).toEqual(before);
  }
});

test('A whole message of START that comes late does not outdo a repeated STOP', async () => {
  const from = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: from }] });
  const now = new Date();
  for (const [Body, minutes] of [
    ['STOP', 1],
    ['STOP', 3],
    ['START', 2],
  ] as const) {
    await arrange(webhook.text({ From: from, Body }, { at: after(now, minutes * minute) }));
  }
  const { consent } = (await contacts.read(contactId)).body.data;
  expect(consent).toEqual({ sms: 'out', since: after(now, minute).toISOString(), source: 'keyword' });
});

test('A whole message of STOP is stored like any other', async () => {
  const writer = await newWriter();
  const { conversationId } = await writer.writes('STOP');
  expect((await conversations.messages(conversationId)).body.data).toMatchObject([
    { content: 'STOP', direction: 'inbound', status: 'received' },
  ]);
});

test('A whole message of STOP of an unknown number makes a contact that is opted out', async () => {
  const { data } = expectStatus(await webhook.text({ From: newPhoneNumber(), Body: 'STOP' }), 200);
  expect((await conversations.send({ contactId: data.contactId, content: 'Sorry' })).status).toBe(409);
});

test('A whole message of STOP in a form counts too', async () => {
  const from = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: from }] });
  await arrange(webhook.textAsForm({ From: from, Body: 'Stop' }));
  expect((await conversations.send({ contactId, content: 'Sorry' })).status).toBe(409);
});

test('A whole message of STOP outlasts edits and moves of the contact', async () => {
  const { data } = expectStatus(await webhook.text({ From: newPhoneNumber(), Body: 'STOP' }), 200);
  await arrange(contacts.update(data.contactId, { firstName: 'Ada' }));
  await arrange(contacts.move(data.contactId, { stage: 'Won' }));
  expect((await conversations.send({ contactId: data.contactId, content: 'Sorry' })).status).toBe(409);
});
