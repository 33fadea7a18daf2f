import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { conversationsClient } from '../conversations/client.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { domainName } from '../harness/gateway.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/world.ts';
import { signedForm } from './twilio-signing.ts';
import { newSid, newWebhookClient } from './webhook-client.ts';

const world = await setUpWorld();
const { product, admin, rep, newContact } = world;
const stream = await tableStream(product);
const secret = '0123456789abcdef0123456789abcdef';
const url = `https://${domainName}/api/webhook/twilio/sms`;
const webhook = await newWebhookClient(product, admin, rep, { secret });

type Consent = 'in' | 'out';

/** A contact by what it writes in forms that Twilio's own library signs. */
async function newWriter() {
  const From = newPhoneNumber();
  const { _id } = await newContact({ phoneNumbers: [{ value: From }] });
  return {
    async writes(Body: string, more: Record<string, string> = {}) {
      const fields = { MessageSid: newSid(), From, To: webhook.phoneNumber, Body, ...more };
      const telling = { provider: 'twilio', ...signedForm(secret, url, fields) };
      return arrange(webhook.tell(new URLSearchParams(fields).toString(), telling));
    },
    consent: async (): Promise<Consent> =>
      (await contactsClient(product, rep).read(_id)).body.data.consent.sms,
    answer: () => conversationsClient(product, rep).send({ contactId: _id, content: 'Hello' }),
  };
}

/** What is said to a contact that wants texts, and to one that wants none; the consent afterwards. */
async function consentAfter(content: string, more?: Record<string, string>) {
  const [wanting, refusing] = [await newWriter(), await newWriter()];
  await refusing.writes('STOP');
  await wanting.writes(content, more);
  await refusing.writes(content, more);
  const [one, other] = [await wanting.consent(), await refusing.consent()];
  expect((await wanting.answer()).status).toBe(one === 'in' ? 201 : 409);
  expect((await refusing.answer()).status).toBe(other === 'in' ? 201 : 409);
  return one === other ? one : 'as before';
}

const hangulFiller = '\u3164';

/**
 * Definitive words: 47 CFR 64.1200(a)(10) ("stop, quit, end, revoke, opt out, cancel, or unsubscribe"), and those of Twilio and AWS
 * (STOPALL, REMOVE, ARRET; START, UNSTOP, YES), see decisions 10, "Opt-out". Compatible characters: Unicode NFKC; invisible ones: Unicode
 * `Default_Ignorable_Code_Point`, in which a soft hyphen, direction marks and variation selectors are.
 */
const outWritings = [
  ...['Quit!!', '«Cancel»', '¡Stop!', 'STOP…', '(remove)', '*END*', "'unsubscribe'", '`revoke`', '–stop–'],
  ...['STOP?', 'stop;', 'E N D', 'O p t - O u t', 'opt\u2011out', 'un-subscribe', 'Stop  all.', 'OPT\tOUT'],
  ...['ＳＴＯＰ', 'ｓｔｏｐ。', '𝐒𝐓𝐎𝐏', 'Ⓠuit', 'Arrêt', 'ARRE\u0302T !', 'arret.'],
  ...['St\u00adop', '\u2067quit\u2069', `${hangulFiller}STOP`, 'stop\ufe0f', '\ufeffCancel', 'e\u2060nd'],
  ...['Stop 🙏', '🛑 STOP 🛑', 'revoke👎🏽', '‚Stop‘', 'ʼstopʼ'],
  ...['STOP\r\n--\r\nGreta Olsen', '\n\nRemove\nSent from Outlook for Android', 'Cancel.\u2028Mike'],
  ...['Stop, please!', 'please: STOP.', 'PLEASE\nSTOP'],
];

test.each(outWritings)('A message of %j opts the number out', async (content) => {
  expect(await consentAfter(content)).toBe('out');
});

test.each([
  'Start!',
  '“YES”',
  'un-stop.',
  'ｙｅｓ',
  'Yes 👍',
  'Start\n\nBen',
  'Start\n--\nBen',
  'ST\u200bART',
  'y e s',
])('A message of %j opts the number back in', async (content) => {
  expect(await consentAfter(content)).toBe('in');
});

test.each([
  ...['stop by tomorrow', 'STOP calling at 5', "don't stop", 'end of day?', 'yes please call', 'Stop it'],
  ...[
    'Cancel my 3pm',
    'The end',
    'unstoppable',
    'Restart',
    '1 STOP',
    'STOP 2',
    'stopp',
    'Removed',
    'endlich',
  ],
  ...['Yes, but not today', 'Hi\nSTOP', '…', '🛑', '\u200b', 'please cancel', 'quit or stay', 'Help', 'стоп'],
])('A message of %j leaves the consent of the number as it was', async (content) => {
  expect(await consentAfter(content)).toBe('as before');
});

/** Source: Twilio, "Customize opt-out keywords with Advanced Opt-Out": `OptOutType` is STOP, START or HELP. */
test.each<[string, string, Consent | 'as before']>([
  ['BAJA', 'STOP', 'out'],
  ['Désabonner', 'STOP', 'out'],
  ['配信停止', 'stop', 'out'],
  ['START', 'STOP', 'out'],
  ['ALTA', 'START', 'in'],
  ['再開', ' Start ', 'in'],
  ['STOP', 'START', 'in'],
  ['AYUDA', 'HELP', 'as before'],
  ['STOP', 'HELP', 'as before'],
  ['Quit', '', 'out'],
  ['Quit', 'NONE', 'out'],
  ['Hello', 'STOPPED', 'as before'],
])(
  'A message of %j that Twilio reports with the OptOutType %j: the consent is %s',
  async (content, OptOutType, consent) => {
    expect(await consentAfter(content, { OptOutType })).toBe(consent);
  },
);

test.each([5, null, ['STOP'], { STOP: true }])(
  'A message whose OptOutType is %j is stored, and its text counts',
  async (OptOutType) => {
    const open = await newWebhookClient(product, admin, rep);
    const { data } = expectStatus(
      await open.text({ From: newPhoneNumber(), Body: 'Arrêt', OptOutType }),
      200,
    );
    expect((await contactsClient(product, rep).read(data.contactId)).body.data.consent.sms).toBe('out');
  },
);

test('A message that waits for its number to be assigned still opts out with the OptOutType of its provider', async () => {
  const [From, To] = [newPhoneNumber(), newPhoneNumber()];
  const body = { MessageSid: newSid(), From, To, Body: 'BASTA', OptOutType: 'STOP' };
  await arrange(product.call('receive-sms', { path: { provider: 'twilio' }, body }));
  await newWebhookClient(product, admin, rep, { phoneNumber: To });
  await stream.settle();
  const [contact] = await contactsClient(product, rep).everything({ search: From });
  expect(contact?.consent).toMatchObject({ sms: 'out', source: 'keyword' });
});
