import { expect, test } from 'vitest';
import { callsClient } from '../calls/client.ts';
import { newVoiceClient } from '../calls/reports.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { readEveryNotification } from './client.ts';
import { notifierIn } from './notifier.ts';

const { product, admin, newContact } = await setUpTenants();
const notifier = notifierIn(product, admin.organizationId);

/** A new user with a number, and a call to it that nobody answers. */
async function called(user: Person) {
  const voice = await newVoiceClient(product, admin, user);
  return async (From: string, more: object = {}) =>
    (await arrange(voice.report({ From, CallStatus: 'no-answer', ...more }))).data;
}

const newColleague = () => product.newColleague(admin);

async function heard(person: Person) {
  await notifier.take();
  await notifier.takeAgain();
  return readEveryNotification(product, person);
}

test('The user whose number was called is notified of a missed call, once however often it is reported', async () => {
  const user = await newColleague();
  const call = await called(user);
  const from = newPhoneNumber();
  const { callId, contactId } = await call(from, { CallSid: 'CA1' });
  await call(from, { CallSid: 'CA1' });
  expect(await heard(user)).toEqual([
    {
      _id: expect.any(String),
      userId: user.userId,
      type: 'missed_call',
      title: `Missed call from ${from}`,
      message: from,
      contactId,
      conversationId: expect.any(String),
      callId,
      isRead: false,
      createdAt: expect.any(String),
    },
  ]);
});

test('The name of a contact is shown only to a user who may see it', async () => {
  const user = await newColleague();
  const call = await called(user);
  const [known, foreign] = [newPhoneNumber(), newPhoneNumber()];
  const own = await newContact({ firstName: 'Ada', lastName: '', phoneNumbers: [{ value: known }] });
  await newContact({ firstName: 'Mary', lastName: '', phoneNumbers: [{ value: foreign }] });
  const { token } = admin;
  const path = { id: own._id };
  await arrange(product.call('update-contact', { token, path, body: { owner: user.userId } }));
  await call(known);
  expect((await heard(user))[0]?.title).toBe('Missed call from Ada');
  await call(foreign);
  expect((await heard(user))[0]?.title).toBe(`Missed call from ${foreign}`);
});

test('A missed call of a withheld number notifies without one', async () => {
  const user = await newColleague();
  await (await called(user))('anonymous');
  expect(await heard(user)).toMatchObject([{ title: 'Missed call from a withheld number', message: '' }]);
});

test('An answered call notifies nobody, and neither does a missed one that was discarded at once', async () => {
  const user = await newColleague();
  await (await called(user))(newPhoneNumber(), { CallStatus: 'completed' });
  const { callId } = await (await called(user))(newPhoneNumber());
  await arrange(callsClient(product, user).discard(callId));
  expect(await heard(user)).toEqual([]);
});

test('A missed call that is discarded takes its notification along, read or not, and the number of unread ones stays exact', async () => {
  const user = await newColleague();
  const call = await called(user);
  const from = newPhoneNumber();
  const [first, second, third] = [await call(from), await call(from), await call(from)];
  const [, ofSecond] = await heard(user);
  expect(ofSecond?.callId).toBe(second.callId);
  const { token } = user;
  await arrange(product.call('mark-notification-read', { token, path: { id: ofSecond?._id ?? '' } }));
  for (const { callId } of [first, second]) {
    await arrange(callsClient(product, user).discard(callId));
  }
  expect((await heard(user)).map(({ callId }) => callId)).toEqual([third.callId]);
  expect((await product.call('count-unread-notifications', { token })).body.data).toEqual({ count: 1 });
});

test('A call without a number is shown with the name or the address of its caller', async () => {
  const user = await newColleague();
  const address = 'sip:ada@example.com';
  await (await called(user))(address);
  expect(await heard(user)).toMatchObject([{ title: `Missed call from ${address}`, message: '' }]);
});

test('An organization whose policy is not to notify of missed calls notifies nobody of them', async () => {
  const user = await newColleague();
  const call = await called(user);
  const { token, organizationId } = admin;
  const policy = (notify: boolean) =>
    arrange(product.call('update-missed-call-policy', { token, path: { organizationId }, body: { notify } }));
  await policy(false);
  await call(newPhoneNumber());
  expect(await heard(user)).toEqual([]);
  await policy(true);
  await call(newPhoneNumber());
  expect(await heard(user)).toHaveLength(1);
});
