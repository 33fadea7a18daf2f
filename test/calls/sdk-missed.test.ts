import { afterAll, expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { newPhoneNumber, outcome } from '../harness/tenants.ts';
import { assigned, organizationsClient } from '../organizations/client.ts';
import { eventsAbout } from './call-records.ts';
import { callFailure, callsClient, keysWithout } from './client.ts';
import { expectConsistent } from './consistency.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep } = tenants;
const client = callsClient(product, rep);
const numbers = organizationsClient(product, admin);
afterAll(() => expectConsistent(product, admin));

test('A missed call in the browser is recorded: 201 `{success, call, message}`, status `no-answer`', async () => {
  const number = newPhoneNumber();
  const { status, body } = await client.miss({ callerNumber: number });
  expect(status).toBe(201);
  expect(Object.keys(body)).toEqual(['success', 'call', 'message']);
  const { call } = body;
  expect(Object.keys(call).filter((key) => key !== 'missedCall')).toEqual(
    keysWithout('to', 'providerPhoneNumber', 'answerTime'),
  );
  expect(call).toMatchObject({
    ...{ direction: 'inbound', status: 'no-answer', from: number, provider: 'sdk', userId: rep.userId },
    ...{ endTime: call.startTime, duration: 0, recordings: [], providerCallId: call._id },
    missedCall: { outcome: 'skipped', reason: 'switched_off' },
  });
  expect((await client.read(call._id)).body.data).toEqual(call);
  expect((await eventsAbout(tenants, call.contactId)).map(({ event }) => event)).toEqual([
    ...['contact_created', 'call_initiated', 'call_ended', 'call_missed'],
  ]);
  expect((await client.list({ status: 'no-answer' })).body.data).toEqual([call]);
});

test.each(['anonymous', 'Restricted', 'UNAVAILABLE', 'unknown', ''])(
  'A missed call of who is called %j has no number',
  async (callerNumber) => {
    const call = await client.missed({ callerNumber });
    expect(call).not.toHaveProperty('from');
  },
);

test('A missed call is to the default number of the user, or to the one that is named', async () => {
  const person = await product.newColleague(admin);
  const own = callsClient(product, person);
  const { phoneNumber: first } = await assigned(numbers, person);
  const { phoneNumber: second } = await assigned(numbers, person);
  const callerNumber = newPhoneNumber();
  expect(await own.missed({ callerNumber })).toMatchObject({ to: first, providerPhoneNumber: first });
  expect(await own.missed({ callerNumber, to: second })).toMatchObject({ to: second, provider: 'twilio' });
});

test('A missed call to a number of somebody else, or of nobody, is a 400', async () => {
  const { phoneNumber } = await assigned(numbers, otherRep);
  for (const to of [phoneNumber, newPhoneNumber()]) {
    expect(outcome(await client.miss({ callerNumber: newPhoneNumber(), to }))).toEqual(
      callFailure(400, 'to must be one of your active phone numbers'),
    );
  }
});

test.each([undefined, null, 7, '12', '+0123456789', ['anonymous']])(
  'A missed call of what is not a number, and no word for one that is withheld, is refused: %j',
  async (callerNumber) => {
    expect(outcome(await client.miss({ callerNumber }))).toEqual(
      callFailure(400, expect.stringMatching(/^callerNumber/)),
    );
  },
);
