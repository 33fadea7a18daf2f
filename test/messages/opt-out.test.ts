import { expect, test } from 'vitest';
import { messageOptOutType, optOutTypeIn } from '../../functions/messages/model/opt-out-words.ts';
import { after, minute } from '../../shared/kernel/time.ts';
import { contactsClient } from '../contacts/client.ts';
import { conversationsClient } from '../conversations/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { domainName } from '../harness/gateway.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { signedForm } from './twilio-signing.ts';
import { newSid, newWebhookClient } from './webhook-client.ts';

const hangulFiller = '\u3164';

/**
 * Definitive words: 47 CFR 64.1200(a)(10) ("stop, quit, end, revoke, opt out, cancel, or unsubscribe"), and those of Twilio and AWS
 * (STOPALL, REMOVE, ARRET; START, UNSTOP, YES), see decisions 10, "Opt-out". Compatible characters: Unicode NFKC; invisible ones: Unicode
 * `Default_Ignorable_Code_Point`, in which a soft hyphen, direction marks and variation selectors are.
 */
test.each([
  ...['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT', 'REMOVE', 'ARRET'],
  ...['stop', 'Stop', ' STOP\r\n', '\u00a0sToPaLl\t'],
  ...['Quit!!', '«Cancel»', '¡Stop!', 'STOP…', '(remove)', '*END*', "'unsubscribe'", '`revoke`', '–stop–'],
  ...['STOP?', 'stop;', 'E N D', 'O p t - O u t', 'opt\u2011out', 'un-subscribe', 'Stop  all.', 'OPT\tOUT'],
  ...['ＳＴＯＰ', 'ｓｔｏｐ。', '𝐒𝐓𝐎𝐏', 'Ⓠuit', 'Arrêt', 'ARRE\u0302T !', 'arret.'],
  ...['St\u00adop', '\u2067quit\u2069', `${hangulFiller}STOP`, 'stop\ufe0f', '\ufeffCancel', 'e\u2060nd'],
  ...['Stop 🙏', '🛑 STOP 🛑', 'revoke👎🏽', '‚Stop‘', 'ʼstopʼ'],
  ...['STOP\r\n--\r\nGreta Olsen', '\n\nRemove\nSent from Outlook for Android', 'Cancel.\u2028Mike'],
  ...['Stop, please!', 'please: STOP.', 'PLEASE\nSTOP'],
])('A message of %j opts its number out', (content) => {
  expect(messageOptOutType({ content })).toBe('STOP');
});

test.each([
  ...['START', 'UNSTOP', 'YES', 'Start!', '“YES”', 'un-stop.', 'ｙｅｓ', 'Yes 👍', 'Start\n\nBen'],
  ...['Start\n--\nBen', 'ST\u200bART', 'y e s'],
])('A message of %j opts its number back in', (content) => {
  expect(messageOptOutType({ content })).toBe('START');
});

test.each(['HELP', ' info\n', 'Help', 'HELP!', '«Info?»'])('A message of %j asks for help', (content) => {
  expect(messageOptOutType({ content })).toBe('HELP');
});

test.each([
  ...['help me', 'I need help', 'information'],
  ...['stop by tomorrow', 'STOP calling at 5', "don't stop", 'end of day?', 'yes please call', 'Stop it'],
  ...['Cancel my 3pm', 'The end', 'unstoppable', 'Restart', '1 STOP', 'STOP 2', 'stopp', 'Removed'],
  ...['Yes, but not today', 'Hi\nSTOP', '…', '🛑', '\u200b', 'please cancel', 'quit or stay', 'стоп'],
  ...['END OF STORY', 'ENDE', 'CANCEL my order', '', ' ', 'yes please', 'UNSTOPPABLE', 'endlich'],
  ...['Yes\nI can come at 5', 'Start\nof the week'],
])('A message of %j says nothing about texts to its number', (content) => {
  expect(messageOptOutType({ content })).toBeUndefined();
});

/** Source: Twilio, "Customize opt-out keywords with Advanced Opt-Out": `OptOutType` is STOP, START or HELP. */
test.each([
  ['BAJA', 'STOP', 'STOP'],
  ['Désabonner', 'STOP', 'STOP'],
  ['配信停止', 'stop', 'STOP'],
  ['START', 'STOP', 'STOP'],
  ['ALTA', 'START', 'START'],
  ['再開', ' Start ', 'START'],
  ['STOP', 'START', 'START'],
  ['AYUDA', 'HELP', 'HELP'],
  ['STOP', 'HELP', 'HELP'],
  ['Quit', '', 'STOP'],
  ['Quit', 'NONE', 'STOP'],
  ['Hello', 'STOPPED', undefined],
])('A message of %j that Twilio reports with the OptOutType %j says %s', (content, told, type) => {
  expect(messageOptOutType({ content, optOutType: optOutTypeIn(told) })).toBe(type);
});

const { product, admin, rep, newContact } = await setUpTenants();
const webhook = await newWebhookClient(product, admin, rep);
const contacts = contactsClient(product, rep);
const conversations = conversationsClient(product, rep);

const consentOf = async (contactId: string) => (await contacts.read(contactId)).body.data.consent;

/** A contact by what it writes, and whether it can be written to. */
async function newWriter() {
  const From = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value: From }] });
  return {
    From,
    contactId,
    writes: async (Body: string, at?: Date) =>
      expectStatus(await webhook.text({ From, Body }, { at }), 200).data,
    answer: () => conversations.send({ contactId, content: 'Hello' }),
  };
}

test('To a contact that writes STOP nothing can be sent, 409, until it writes START; both are stored like any other message', async () => {
  const { writes, answer } = await newWriter();
  const { conversationId } = await writes('STOP');
  expect(outcome(await answer())).toEqual(
    failure(
      409,
      'The contact has opted out of text messages. It can opt in again by sending START, or you can record its consent.',
    ),
  );
  await writes('START');
  expect((await answer()).status).toBe(201);
  expect((await conversations.messages(conversationId)).body.data).toMatchObject([
    { content: 'Hello' },
    { content: 'START', direction: 'inbound', status: 'received' },
    { content: 'STOP', direction: 'inbound', status: 'received' },
  ]);
});

test('What Twilio itself says of a message counts, in forms that it signs', async () => {
  const secret = '0123456789abcdef0123456789abcdef';
  const url = `https://${domainName}/api/webhook/twilio/sms`;
  const signed = await newWebhookClient(product, admin, rep, { secret });
  const { From, contactId } = await newWriter();
  for (const [Body, OptOutType, sms] of [
    ['BASTA', 'STOP', 'out'],
    ['ALTA', 'START', 'in'],
  ] as const) {
    const fields = { MessageSid: newSid(), From, To: signed.phoneNumber, Body, OptOutType };
    const telling = { provider: 'twilio', ...signedForm(secret, url, fields) };
    await arrange(signed.tell(new URLSearchParams(fields).toString(), telling));
    expect(await consentOf(contactId)).toMatchObject({ sms, source: 'keyword' });
  }
});

test('A message that says the same again changes neither the time nor the source of the consent, and emits nothing', async () => {
  const { contactId, writes } = await newWriter();
  const state = async () => [
    await consentOf(contactId),
    (await readEvents(product, rep.organizationId)).filter(
      ({ event, data }) => event === 'contact_updated' && data.contactId === contactId,
    ).length,
  ];
  for (const [first, again] of [
    ['YES', 'Start'],
    ['STOP', 'stop'],
  ] as const) {
    await writes(first);
    const before = await state();
    await writes(again);
    expect(await state()).toEqual(before);
  }
});

test('A message of START that comes late does not outdo a repeated STOP', async () => {
  const { contactId, writes } = await newWriter();
  const now = new Date();
  await writes('STOP', after(now, minute));
  await writes('STOP', after(now, 3 * minute));
  await writes('START', after(now, 2 * minute));
  expect(await consentOf(contactId)).toEqual({
    ...{ sms: 'out', source: 'keyword' },
    since: after(now, minute).toISOString(),
  });
});

test('A message of STOP of an unknown number makes a contact that is opted out, and stays so through edits and moves', async () => {
  const { data } = expectStatus(await webhook.text({ From: newPhoneNumber(), Body: 'STOP' }), 200);
  await arrange(contacts.update(data.contactId, { firstName: 'Ada' }));
  await arrange(contacts.move(data.contactId, { stage: 'Won' }));
  expect((await conversations.send({ contactId: data.contactId, content: 'Sorry' })).status).toBe(409);
});

test.each([5, null, ['STOP'], { STOP: true }])(
  'A message whose OptOutType is %j is stored, and its text counts',
  async (OptOutType) => {
    const telling = { From: newPhoneNumber(), Body: 'Arrêt', OptOutType };
    const { data } = expectStatus(await webhook.text(telling), 200);
    expect((await consentOf(data.contactId)).sms).toBe('out');
  },
);

test('A message that waits for its number to be assigned still opts out with the OptOutType of its provider', async () => {
  const stream = await tableStream(product);
  const [From, To] = [newPhoneNumber(), newPhoneNumber()];
  const body = { MessageSid: newSid(), From, To, Body: 'BASTA', OptOutType: 'STOP' };
  await arrange(product.call('receive-sms', { path: { provider: 'twilio' }, body }));
  await newWebhookClient(product, admin, rep, { phoneNumber: To });
  await stream.settle();
  const [contact] = await contacts.everything({ search: From });
  expect(contact?.consent).toMatchObject({ sms: 'out', source: 'keyword' });
});
