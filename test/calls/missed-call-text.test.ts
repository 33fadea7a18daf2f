import { expect, test } from 'vitest';
import { after, minute } from '../../shared/kernel/time.ts';
import { contactsClient } from '../contacts/client.ts';
import { conversationsClient } from '../conversations/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { arrange, countStatuses, newPhoneNumber } from '../harness/tenants.ts';
import { prepareOutgoing } from '../messages/outgoing.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { organizationsClient } from '../organizations/client.ts';
import { callsClient } from './client.ts';
import { callsIn, expectConsistent } from './consistency.ts';
import { newTextingOrganization } from './missed-call-client.ts';

const product = await setUpProduct();
const superadmin = await product.newSuperadmin();
const outgoing = await prepareOutgoing(product);

test('The caller of a missed call gets the message, rendered, from the number that was called', async () => {
  const { admin, voice, missed, texts } = await newTextingOrganization(product);
  const number = newPhoneNumber();
  const ada = await contactsClient(product, admin).created({
    firstName: 'Ada',
    lastName: 'Lovelace',
    phoneNumbers: [{ value: newPhoneNumber() }, { value: number }],
  });
  const call = await missed(number);
  expect(call).toMatchObject({ contactId: ada._id, status: 'no-answer' });
  const [text] = await texts();
  expect(call.missedCall).toEqual({ outcome: 'sent', reason: 'open', messageId: text?._id });
  expect(text).toMatchObject({
    contactId: ada._id,
    content: 'Sorry we missed you, Ada Lovelace.',
    direction: 'outbound',
    status: 'queued',
    sentBy: null,
  });
  await outgoing.tellAll(admin);
  expect(product.sentMessages.at(-1)).toMatchObject({
    id: text?._id,
    from: voice.phoneNumber,
    to: number,
    content: 'Sorry we missed you, Ada Lovelace.',
  });
  const about = (await readEvents(product, admin.organizationId)).filter(
    ({ data }) => data.contactId === ada._id,
  );
  expect(about.map(({ event }) => event)).toEqual([
    ...['contact_created', 'call_initiated', 'call_ended', 'call_missed'],
    ...['message_created', 'message_updated'],
  ]);
  // What an event tells of a message has the fields that the list of messages shows, and no more.
  const { body } = await conversationsClient(product, admin).messages(text?.conversationId ?? '');
  expect(Object.keys(about[4]?.data.message ?? {}).sort()).toEqual(Object.keys(body.data[0]).sort());
  // Every event of a call tells of the call as the transaction left it.
  expect(about[3]?.data.call).toEqual(call);
  await expectConsistent(product, admin);
});

test('An unknown caller gets the message without a name, and becomes a contact with a voice and an SMS conversation', async () => {
  const { admin, missed, texts } = await newTextingOrganization(product);
  const call = await missed(newPhoneNumber());
  expect(call.missedCall).toMatchObject({ outcome: 'sent' });
  expect((await texts()).map(({ content }) => content)).toEqual(['Sorry we missed you.']);
  await expectConsistent(product, admin);
});

test('100 missed calls of one number within a minute: 100 calls, one text, and 99 are `skipped: cooldown`', async () => {
  const { admin, voice, texts } = await newTextingOrganization(product);
  const From = newPhoneNumber();
  const start = Date.now();
  await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      arrange(voice.report({ From, CallStatus: 'no-answer' }, { at: new Date(start + index * 600) })),
    ),
  );
  const records = await expectConsistent(product, admin);
  const results = callsIn(records).map(({ missedCall }) => `${missedCall?.outcome}: ${missedCall?.reason}`);
  expect(results).toHaveLength(100);
  expect(results.filter((result) => result === 'sent: open')).toHaveLength(1);
  expect(results.filter((result) => result === 'skipped: cooldown')).toHaveLength(99);
  expect(await texts()).toHaveLength(1);
});

test('A call to a number that was removed while it rang promises no text when its user ends it', async () => {
  const { admin, voice } = await newTextingOrganization(product);
  const { data } = await arrange(voice.report({ From: newPhoneNumber(), CallStatus: 'ringing' }));
  const { phoneNumber } = voice;
  await arrange(organizationsClient(product, admin)('remove-phone-number', undefined, { phoneNumber }));
  const ended = (await callsClient(product, admin).end(data.callId, { status: 'no-answer' })).body.data;
  expect(ended.missedCall).toEqual({ outcome: 'skipped', reason: 'no_number' });
});

test('After the cool-down the caller gets another text; with `cooldownMinutes: 0` each time', async () => {
  const { missed, set } = await newTextingOrganization(product);
  const [number, start] = [newPhoneNumber(), new Date()];
  const outcomes = async (minutes: readonly number[]) => {
    const found = [];
    for (const later of minutes) {
      found.push((await missed(number, after(start, later * minute))).missedCall?.reason);
    }
    return found;
  };
  expect(await outcomes([0, 59, 60, 119, 120])).toEqual(['open', 'cooldown', 'open', 'cooldown', 'open']);
  expect((await missed(newPhoneNumber(), start)).missedCall?.outcome).toBe('sent');
  await set({ policy: { cooldownMinutes: 0 } });
  expect(await outcomes([121, 121, 122])).toEqual(['open', 'open', 'open']);
});

test('Whoever opted out gets no text, nor does who has no number, nor anybody while there is none to send', async () => {
  const { admin, missed, set, texts } = await newTextingOrganization(product);
  const number = newPhoneNumber();
  const sms = await newWebhookClient(product, admin, admin);
  await arrange(sms.text({ From: number, Body: 'STOP' }));
  const count = (await texts()).length;
  const reasons = [(await missed(number)).missedCall, (await missed('anonymous')).missedCall];
  await set({ isSwitchedOn: false });
  reasons.push((await missed(newPhoneNumber())).missedCall);
  await set({ message: '' });
  reasons.push((await missed(newPhoneNumber())).missedCall);
  await set({ message: ' {{unknown}} ' });
  reasons.push((await missed(newPhoneNumber())).missedCall);
  expect(reasons).toEqual(
    ['opted_out', 'no_number', 'switched_off', 'no_message', 'no_message'].map((reason) => ({
      outcome: 'skipped',
      reason,
    })),
  );
  expect(await texts()).toHaveLength(count);
});

test('Beyond the daily limit of the organization the call is recorded without a text, `daily_limit`', async () => {
  const { admin, missed, texts } = await newTextingOrganization(product);
  const above = organizationsClient(product, superadmin, admin.organizationId);
  await arrange(above('update-text-settings', { dailyLimit: 1 }));
  const reasons = [];
  // All belong to one day, also around midnight.
  const at = new Date();
  for (let count = 0; count < 3; count += 1) {
    reasons.push((await missed(newPhoneNumber(), at)).missedCall?.reason);
  }
  expect(reasons).toEqual(['open', 'daily_limit', 'daily_limit']);
  expect(await texts()).toHaveLength(1);
  await expectConsistent(product, admin);
});

test('A call that was answered, or an outbound one, brings no text', async () => {
  const { admin, voice, texts } = await newTextingOrganization(product);
  await arrange(voice.report({ From: newPhoneNumber(), CallStatus: 'completed' }));
  const outbound = {
    CallSid: 'CA1',
    From: voice.phoneNumber,
    To: newPhoneNumber(),
    Direction: 'outbound-api',
  };
  await arrange(voice.tell({ ...outbound, CallStatus: 'no-answer' }));
  const own = callsClient(product, admin);
  const { _id } = await own.dialed({ phoneNumber: newPhoneNumber() });
  await arrange(own.end(_id, { status: 'no-answer' }));
  expect(await texts()).toEqual([]);
});

test('An inbound call that rings and that its user ends is missed, with the text', async () => {
  const { admin, voice, texts } = await newTextingOrganization(product);
  const { data } = await arrange(voice.report({ From: newPhoneNumber(), CallStatus: 'ringing' }));
  const ended = (await callsClient(product, admin).end(data.callId, { status: 'no-answer' })).body.data;
  const [text] = await texts();
  expect(ended.missedCall).toEqual({ outcome: 'sent', reason: 'open', messageId: text?._id });
  await expectConsistent(product, admin);
});

test('With `remind`, the user of the number gets a reminder to call back, at once while open', async () => {
  const { admin, missed, set } = await newTextingOrganization(product);
  await set({ policy: { remind: true } });
  const number = newPhoneNumber();
  const at = new Date();
  const { contactId } = await missed(number, at);
  await missed('anonymous');
  const { data } = await arrange(
    product.call('list-reminders', { token: admin.token, query: { contactId } }),
  );
  expect(data).toMatchObject([
    { createdBy: admin.userId, note: `Call back ${number}: a call was missed.`, remindAt: at.toISOString() },
  ]);
});

const deletion = await newTextingOrganization(product);
const remove = (id = '') => product.call('delete-message', { token: deletion.admin.token, path: { id } });
/** The events of a call. */
const eventsOfCall = async (callId: string) =>
  (await readEvents(product, deletion.admin.organizationId)).filter(({ data }) => data.callId === callId);

test('A missed call whose text is deleted before it is sent says so, in its lists and by an event, too', async () => {
  const { _id, missedCall } = await deletion.missed(newPhoneNumber());
  expect(missedCall).toMatchObject({ outcome: 'sent', messageId: expect.any(String) });
  const responses = await Promise.all(Array.from({ length: 10 }, () => remove(missedCall?.messageId)));
  expect(countStatuses(responses)).toEqual({ 200: 1, 404: 9 });
  const deleted = { outcome: 'skipped', reason: 'deleted' };
  expect((await deletion.read(_id)).missedCall).toEqual(deleted);
  const { data } = (await callsClient(product, deletion.admin).list()).body;
  expect(data.find((call: { _id: string }) => call._id === _id).missedCall).toEqual(deleted);
  expect((await eventsOfCall(_id)).filter(({ event }) => event === 'call_updated')).toMatchObject([
    { data: { call: { missedCall: deleted } } },
  ]);
  expect((await deletion.texts()).filter((text) => text._id === missedCall?.messageId)).toEqual([]);
  await expectConsistent(product, deletion.admin);
});

test('A missed call whose text is deleted does not keep the next one from getting a text', async () => {
  const from = newPhoneNumber();
  const first = await deletion.missed(from);
  expect((await deletion.missed(from)).missedCall).toMatchObject({ reason: 'cooldown' });
  await arrange(remove(first.missedCall?.messageId));
  expect((await deletion.missed(from)).missedCall).toMatchObject({ outcome: 'sent' });
});
