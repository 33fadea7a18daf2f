import { expect, test } from 'vitest';
import { minute, after as plus, timestamp } from '../../shared/kernel/time.ts';
import { conversationsClient } from '../conversations/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { contactsClient } from './client.ts';

const { product, admin, rep, newContact } = await setUpTenants();
const webhook = await newWebhookClient(product, admin, rep);
const contacts = contactsClient(product, rep);
const conversations = conversationsClient(product, rep);

const consentOf = async (id: string) => (await contacts.read(id)).body.data.consent;
const say = (id: string, sms: string, at?: Date) =>
  product.call('update-consent', { token: rep.token, path: { id }, body: { sms }, at });
const updates = async (id: string) =>
  (await readEvents(product, admin.organizationId)).filter(
    ({ event, data }) => event === 'contact_updated' && data.contactId === id,
  );

/** A contact that writes text messages. */
async function newWriter() {
  const From = newPhoneNumber();
  const contact = await newContact({ phoneNumbers: [{ value: From }] });
  const writes = (Body: string, at?: Date) => arrange(webhook.text({ From, Body }, { at }));
  return { id: contact._id, createdAt: contact.createdAt, writes };
}

test('The consent of a contact is to text messages until somebody says otherwise', async () => {
  const { id, createdAt } = await newWriter();
  expect(await consentOf(id)).toEqual({ sms: 'in', since: createdAt, source: 'user' });
});

test('The consent of a contact is what the contact said last, in every response, and is sent to those who see it', async () => {
  const { id, writes } = await newWriter();
  const start = new Date();
  await writes('STOP', start);
  const out = { sms: 'out', since: timestamp(start), source: 'keyword' };
  expect(await consentOf(id)).toEqual(out);
  expect(await updates(id)).toMatchObject([{ data: { contact: { consent: out } } }]);
  expect((await contacts.update(id, { firstName: 'Ada' })).body.data.consent).toEqual(out);
  expect((await contacts.move(id, { stage: 'Won' })).body.data.consent).toEqual(out);
  const [card] = (await contacts.everything({ status: 'Won' })).filter(({ _id }) => _id === id);
  expect(card?.consent).toEqual(out);
  await writes('start', plus(start, minute));
  expect(await consentOf(id)).toEqual({
    sms: 'in',
    since: timestamp(plus(start, minute)),
    source: 'keyword',
  });
});

test('The consent of a contact does not go back when messages come late', async () => {
  const { id, writes } = await newWriter();
  const start = new Date();
  await writes('START', plus(start, minute));
  await writes('STOP', start);
  expect((await consentOf(id)).sms).toBe('in');
  await writes('STOP', plus(start, 3 * minute));
  await writes('START', plus(start, 2 * minute));
  expect((await consentOf(id)).sms).toBe('out');
});

test('The consent of a contact can be recorded by a user', async () => {
  const { id, writes } = await newWriter();
  const start = new Date();
  const { data, message } = expectStatus(await say(id, 'out', start), 200);
  expect(data.consent).toEqual({ sms: 'out', since: timestamp(start), source: 'user' });
  expect(message).toBe('The contact wants no text messages');
  expect(data.updatedAt).toBe(timestamp(start));
  expect((await conversations.send({ contactId: id, content: 'Hello' })).status).toBe(409);
  expect(await updates(id)).toHaveLength(1);
  expect(expectStatus(await say(id, 'out'), 200).message).toBe('No changes');
  expect(await updates(id)).toHaveLength(1);
  expectStatus(await say(id, 'in'), 200);
  expect((await conversations.send({ contactId: id, content: 'Hello' })).status).toBe(201);
  await writes('STOP');
  expect(await consentOf(id)).toMatchObject({ sms: 'out', source: 'keyword' });
});
