import { expect, test } from 'vitest';
import { after, hour, minute } from '../../shared/kernel/time.ts';
import type { BusinessHours } from '../../shared/organizations/business-hours.ts';
import { contactsClient } from '../contacts/client.ts';
import { clockClient } from '../harness/clock.ts';
import { readEvents } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { countUnread, readEveryNotification } from '../notifications/client.ts';
import { notifierIn } from '../notifications/notifier.ts';
import { organizationsClient } from '../organizations/client.ts';
import { callsClient } from './client.ts';
import { callsIn, expectConsistent } from './consistency.ts';
import { newTextingOrganization } from './missed-call-client.ts';

const product = await setUpProduct();
const clock = clockClient(product);

const day = { enabled: true, start: '09:00', end: '17:00' };
const hours: Partial<BusinessHours> = {
  timezone: 'Europe/Berlin',
  businessHours: { monday: day, tuesday: day, wednesday: day, thursday: day, friday: day },
};
const policy = { sendWhen: 'business_hours', otherwise: 'at_opening' } as const;

// The clocks of Berlin are put forward between this Friday and the Monday after it.
const fridayNight = new Date('2027-03-26T22:00:00.000Z');
const mondayMorning = new Date('2027-03-29T07:00:00.000Z');
const tuesdayMorning = new Date('2027-03-30T07:00:00.000Z');
const before = (date: Date) => after(date, -1);

async function newClosedOrganization() {
  const organization = await newTextingOrganization(product);
  await organization.set({ policy, hours });
  return organization;
}

test('A call missed while closed gets its text at the next opening, once, in summer time though it was winter', async () => {
  const { admin, missed, read, texts } = await newClosedOrganization();
  const number = newPhoneNumber();
  const call = await missed(number, fridayNight);
  expect(call.missedCall).toEqual({
    outcome: 'scheduled',
    reason: 'closed',
    sendAt: mondayMorning.toISOString(),
  });
  await clock.run(before(mondayMorning));
  expect(await texts()).toEqual([]);
  await Promise.all([clock.run(mondayMorning), clock.run(mondayMorning), clock.run(mondayMorning)]);
  await clock.run(after(mondayMorning, hour));
  const [text, ...more] = await texts();
  expect(more).toEqual([]);
  expect(text).toMatchObject({ contactId: call.contactId, createdAt: mondayMorning.toISOString() });
  const sent = await read(call._id);
  expect(sent.missedCall).toEqual({ outcome: 'sent', reason: 'open', messageId: text?._id });
  expect(sent.endTime).toBe(call.endTime);
  const names = (await readEvents(product, admin.organizationId)).map(({ event }) => event);
  expect(names.slice(-2)).toEqual(['call_updated', 'message_created']);
  expect(names.filter((name) => name === 'call_missed')).toHaveLength(1);
  expect(await clock.waitingUntil(after(mondayMorning, 365 * 24 * hour))).toEqual([]);
  await expectConsistent(product, admin);
});

test('A call missed at the very moment of closing waits for the next opening, one a millisecond earlier does not', async () => {
  const { missed, texts } = await newClosedOrganization();
  // Friday, 17:00 in winter time; Monday, 09:00 and 17:00 in summer time.
  const [friday, monday] = [new Date('2027-03-26T16:00:00.000Z'), new Date('2027-03-29T15:00:00.000Z')];
  for (const [closing, opening] of [
    [friday, mondayMorning],
    [monday, tuesdayMorning],
  ] as const) {
    expect((await missed(newPhoneNumber(), before(closing))).missedCall?.outcome).toBe('sent');
    const sent = (await texts()).length;
    const number = newPhoneNumber();
    const { missedCall } = await missed(number, closing);
    expect(missedCall).toEqual({ outcome: 'scheduled', reason: 'closed', sendAt: opening.toISOString() });
    expect(await texts()).toHaveLength(sent);
    await clock.run(opening);
    expect(await texts()).toHaveLength(sent + 1);
  }
});

test('All calls of a number that are missed before an opening bring one text', async () => {
  const { admin, missed, texts } = await newClosedOrganization();
  const number = newPhoneNumber();
  for (const at of [fridayNight, after(fridayNight, 5 * hour), after(fridayNight, 50 * hour)]) {
    await missed(number, at);
  }
  await clock.run(mondayMorning);
  // Within the cool-down after it, too.
  await missed(number, after(mondayMorning, 30 * minute));
  const records = await expectConsistent(product, admin);
  expect(callsIn(records).map(({ missedCall }) => missedCall?.reason)).toEqual(
    expect.arrayContaining(['open', 'cooldown', 'cooldown', 'cooldown']),
  );
  expect(await texts()).toHaveLength(1);
});

test('A holiday is no opening: neither one that is known when the call is missed, nor one that is entered afterwards', async () => {
  for (const isKnown of [true, false]) {
    const { missed, set, read, texts } = await newClosedOrganization();
    const closed = { ...hours, holidays: [{ date: '2027-03-29', label: 'Easter Monday' }] };
    await (isKnown && set({ policy, hours: closed }));
    const { _id } = await missed(newPhoneNumber(), fridayNight);
    await set({ policy, hours: closed });
    await clock.run(mondayMorning);
    expect(await texts()).toEqual([]);
    expect((await read(_id)).missedCall).toEqual({
      outcome: 'scheduled',
      reason: 'closed',
      sendAt: tuesdayMorning.toISOString(),
    });
    await clock.run(tuesdayMorning);
    expect(await texts()).toHaveLength(1);
    expect((await read(_id)).missedCall?.outcome).toBe('sent');
  }
});

test('A contact who opts out before the opening gets no text, and the call says why', async () => {
  const { admin, missed, read, texts } = await newClosedOrganization();
  const number = newPhoneNumber();
  const { _id } = await missed(number, fridayNight);
  const sms = await newWebhookClient(product, admin, admin);
  await arrange(sms.text({ From: number, Body: 'STOP' }));
  await clock.run(mondayMorning);
  expect((await read(_id)).missedCall).toEqual({ outcome: 'skipped', reason: 'opted_out' });
  expect((await texts()).filter(({ direction }) => direction === 'outbound')).toEqual([]);
  // What was not sent holds nothing back.
  await arrange(sms.text({ From: number, Body: 'START' }));
  expect((await missed(number, after(mondayMorning, minute))).missedCall?.outcome).toBe('sent');
  await expectConsistent(product, admin);
});

type Closed = Awaited<ReturnType<typeof newClosedOrganization>>;

test.each<[string, string, (organization: Closed, contactId: string) => Promise<unknown>]>([
  ['it is switched off', 'switched_off', ({ set }) => set({ policy, hours, isSwitchedOn: false })],
  ['the message has become empty', 'no_message', ({ set }) => set({ policy, hours, message: '' })],
  [
    'the organization has lost its number',
    'no_number',
    ({ admin, voice: { phoneNumber } }) =>
      arrange(organizationsClient(product, admin)('remove-phone-number', undefined, { phoneNumber })),
  ],
  [
    'the contact is deleted',
    'no_number',
    ({ admin }, contactId) => arrange(contactsClient(product, admin).remove(contactId)),
  ],
  [
    'another contact has the number of the caller',
    'no_number',
    async ({ admin }, contactId) => {
      const contacts = contactsClient(product, admin);
      const { phoneNumbers } = (await contacts.read(contactId)).body.data;
      await arrange(contacts.update(contactId, { phoneNumbers: [{ value: newPhoneNumber() }] }));
      await contacts.created({ firstName: 'Ada', phoneNumbers });
    },
  ],
])('At the opening there is no text if %s meanwhile', async (_, reason, act) => {
  const organization = await newClosedOrganization();
  const { _id, contactId } = await organization.missed(newPhoneNumber(), fridayNight);
  await act(organization, contactId);
  await clock.run(mondayMorning);
  expect((await organization.read(_id)).missedCall).toEqual({ outcome: 'skipped', reason });
  expect(await organization.texts()).toEqual([]);
});

test('A missed call that is discarded takes its scheduled text along, and holds no other one back', async () => {
  const { admin, missed, texts } = await newClosedOrganization();
  const number = newPhoneNumber();
  const { _id, contactId } = await missed(number, fridayNight);
  const { message } = (await callsClient(product, admin).discard(_id, { contactId, deleteContact: true }))
    .body;
  expect(message).toBe('Call and its contact discarded');
  expect(await clock.waitingUntil(mondayMorning)).toEqual([]);
  await clock.run(mondayMorning);
  expect(await texts()).toEqual([]);
  expect((await missed(number, fridayNight)).missedCall?.outcome).toBe('scheduled');
  await clock.run(mondayMorning);
  expect(await texts()).toHaveLength(1);
  await expectConsistent(product, admin);
});

test('A missed call that is discarded takes its reminder along, which keeps no contact', async () => {
  const { admin, missed, set } = await newClosedOrganization();
  await set({ policy: { ...policy, remind: true }, hours });
  const { _id, contactId } = await missed(newPhoneNumber(), fridayNight);
  const { message } = (await callsClient(product, admin).discard(_id, { contactId, deleteContact: true }))
    .body;
  expect(message).toBe('Call and its contact discarded');
  const { data } = await arrange(product.call('list-reminders', { token: admin.token }));
  expect(data).toEqual([]);
  expect(await clock.waitingUntil(mondayMorning)).toEqual([]);
  await expectConsistent(product, admin);
});

test('A missed call that is discarded takes along what its user was notified of: the call, and its reminder', async () => {
  const { admin, missed, set } = await newClosedOrganization();
  await set({ policy: { ...policy, remind: true }, hours });
  const { _id } = await missed(newPhoneNumber(), fridayNight);
  await notifierIn(product, admin.organizationId).take(fridayNight);
  await clock.run(mondayMorning);
  const told = (await readEveryNotification(product, admin)).map(({ type }) => type);
  expect(told.sort()).toEqual(['missed_call', 'reminder']);
  expect(await countUnread(product, admin)).toBe(2);
  await arrange(callsClient(product, admin).discard(_id));
  expect(await readEveryNotification(product, admin)).toEqual([]);
  expect(await countUnread(product, admin)).toBe(0);
});

test('With `remind`, calls of one number that are missed while closed make one reminder for the opening until it fires, even at once, or is deleted', async () => {
  const { admin, missed, set } = await newClosedOrganization();
  await set({ policy: { ...policy, remind: true }, hours });
  const number = newPhoneNumber();
  const { contactId } = await missed(number, fridayNight);
  const { token } = admin;
  const reminders = async () =>
    (await arrange(product.call('list-reminders', { token, query: { contactId } }))).data;
  await Promise.all(Array.from({ length: 10 }, () => missed(number, after(fridayNight, minute))));
  await missed(newPhoneNumber(), fridayNight);
  const [first, ...more] = await reminders();
  expect(more).toEqual([]);
  expect(first).toMatchObject({ remindAt: mondayMorning.toISOString(), fired: false });
  await arrange(product.call('delete-reminder', { token, path: { id: first._id } }));
  await missed(number, after(fridayNight, hour));
  expect(await reminders()).toHaveLength(1);
  await clock.run(mondayMorning);
  await missed(number, after(mondayMorning, hour));
  expect(await reminders()).toMatchObject([{ fired: false }, { fired: true }]);
  await expectConsistent(product, admin);
});
