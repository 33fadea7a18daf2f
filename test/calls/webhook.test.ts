import { afterAll, expect, test } from 'vitest';
import { after, second } from '../../shared/kernel/time.ts';
import { contactsClient } from '../contacts/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { readRows } from '../seed/table.ts';
import { callEvents } from './call-records.ts';
import { callsClient } from './client.ts';
import { expectConsistent } from './consistency.ts';
import { newCallSid, newVoiceClient, reportAll as reportWhole } from './reports.ts';

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const voice = await newVoiceClient(product, admin, rep);
const calls = callsClient(product, admin);
const queue = product.queues.deferredRequests;
afterAll(() => expectConsistent(product, admin));

const start = new Date();
const at = (seconds: number) => ({ at: after(start, seconds * second) });
const iso = (seconds: number) => after(start, seconds * second).toISOString();
const read = async (callId: string) => expectStatus(await calls.read(callId), 200).data;

const reportAll = (statuses: readonly string[], more?: Record<string, unknown>) =>
  reportWhole(voice, start, statuses, more);

test('The provider reports the whole life of an inbound call: it rings, is answered, ends', async () => {
  const { fields, responses, last } = await reportAll(['ringing', 'in-progress', 'completed'], {
    CallDuration: '10',
  });
  expect(responses.map(({ status, missed, duplicate }) => [status, missed, duplicate])).toEqual([
    ['ringing', false, false],
    ['answered', false, false],
    ['completed', false, false],
  ]);
  expect(new Set(responses.map(({ callId }) => callId)).size).toBe(1);
  expect(await read(last.callId)).toEqual({
    ...{ _id: last.callId, callId: last.callId, provider: 'twilio', providerCallId: fields.CallSid },
    ...{ direction: 'inbound', status: 'completed', from: fields.From, to: voice.phoneNumber },
    ...{ contactId: last.contactId, conversationId: last.conversationId },
    ...{ organizationId: rep.organizationId, userId: rep.userId, providerPhoneNumber: voice.phoneNumber },
    ...{ startTime: iso(0), answerTime: iso(10), endTime: iso(20), duration: 20, recordings: [] },
    ...{ createdAt: iso(0), updatedAt: iso(20) },
  });
  expect(await callEvents(tenants, last.contactId)).toEqual([
    'call_initiated',
    'call_answered',
    'call_ended',
  ]);
  expect((await contactsClient(product, admin).read(last.contactId)).body.data).toMatchObject({
    firstName: 'Unknown Caller',
    source: 'Incoming Call',
    owner: rep.userId,
  });
});

// Source: in effect, "`CallStatus` … map to ours".
test.each([
  ['queued', 'initiated', false],
  ['initiated', 'initiated', false],
  ['ringing', 'ringing', false],
  ['in-progress', 'answered', false],
  ['completed', 'completed', false],
  ['busy', 'busy', true],
  ['no-answer', 'no-answer', true],
  ['canceled', 'canceled', true],
  ['failed', 'failed', true],
  ['something-new', 'initiated', false],
])('A first report of a call that is %s makes a call that is %s', async (CallStatus, status, missed) => {
  const { data } = (await voice.report({ From: newPhoneNumber(), CallStatus })).body;
  expect(data).toMatchObject({ status, missed });
});

test('The seconds of a call may be a JSON number with a fraction of zero', async () => {
  const fields = `"CallSid": "${newCallSid()}", "From": "${newPhoneNumber()}", "To": "${voice.phoneNumber}"`;
  const body = `{${fields}, "CallStatus": "completed", "CallDuration": 4.0}`;
  const path = { provider: 'twilio' };
  const { data } = expectStatus(await product.call('receive-call', { path, body, ...at(10) }), 200);
  expect(await read(data.callId)).toMatchObject({ startTime: iso(6), endTime: iso(10), duration: 4 });
});

test('The last report ends the call even if it writes the number in another way than the first', async () => {
  await arrange(
    product.call('update-missed-call-message', {
      token: admin.token,
      path: { organizationId: admin.organizationId },
      body: { missedCallMessage: 'Sorry we missed you.', missedCallAutoMessageEnabled: true },
    }),
  );
  const From = newPhoneNumber();
  await arrange(voice.report({ From, CallStatus: 'no-answer' }));
  for (const other of ['anonymous', newPhoneNumber()]) {
    const { fields, last } = await reportAll(['ringing'], { From });
    const { data } = await arrange(voice.report({ ...fields, From: other, CallStatus: 'no-answer' }));
    expect(data).toMatchObject({ callId: last.callId, status: 'no-answer', missed: true });
    expect(await read(last.callId)).toMatchObject({ from: From, missedCall: { reason: 'cooldown' } });
  }
  await arrange(
    product.call('update-missed-call-message', {
      token: admin.token,
      path: { organizationId: admin.organizationId },
      body: { missedCallMessage: '', missedCallAutoMessageEnabled: false },
    }),
  );
});

test('A name that is not a valid text loses no report', async () => {
  const sent = {
    CallSid: newCallSid(),
    From: newPhoneNumber(),
    To: voice.phoneNumber,
    CallStatus: 'ringing',
  };
  const body = JSON.stringify({ ...sent, CallerName: '' }).replace(
    '"CallerName":""',
    '"CallerName":"\\ud83d"',
  );
  expect((await voice.tell(body)).status).toBe(200);
});

test('Events of a call never go back, even if a report that came earlier is stored later', async () => {
  const { fields, last } = await reportAll(['ringing']);
  await arrange(voice.report({ ...fields, CallStatus: 'in-progress' }, at(7_300)));
  await arrange(voice.report({ ...fields, CallStatus: 'completed' }, at(20)));
  const told = (await readEvents(product, admin.organizationId)).filter(
    ({ data }) => data.callId === last.callId,
  );
  expect(told.map(({ event }) => event)).toEqual(['call_initiated', 'call_answered', 'call_ended']);
  // A replay reads them hour by hour.
  expect(told.map((event) => event.at)).toEqual(told.map((event) => event.at).toSorted());
});

test('A missed call emits `call_ended`, then `call_missed`', async () => {
  const { last } = await reportAll(['ringing', 'no-answer']);
  expect(await callEvents(tenants, last.contactId)).toEqual(['call_initiated', 'call_ended', 'call_missed']);
  expect(await read(last.callId)).toMatchObject({
    missedCall: { outcome: 'skipped', reason: 'switched_off' },
  });
});

test('A call to a number that nobody has is 200, and writes nothing', async () => {
  const rows = () => readRows(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', product.tableName);
  const before = await rows();
  for (const To of [newPhoneNumber(), 'sip:nobody@example.com']) {
    const { status, body } = await voice.report({ From: newPhoneNumber(), To, CallStatus: 'no-answer' });
    expect({ status, data: body.data }).toEqual({
      status: 200,
      data: {
        ...{ callId: null, contactId: null, conversationId: null, status: null },
        ...{ missed: false, duplicate: false },
      },
    });
  }
  expect(await rows()).toEqual(before);
  expect(queue.waiting).toEqual([]);
});

test('Reports of a call that was discarded change nothing, and do not bring it back', async () => {
  const { fields, last } = await reportAll(['ringing']);
  await arrange(calls.discard(last.callId));
  const { status, body } = await voice.report({ ...fields, CallStatus: 'no-answer' });
  expect({ status, data: body.data }).toEqual({
    status: 200,
    data: { ...last, conversationId: null, status: null, duplicate: true },
  });
  expect((await calls.read(last.callId)).status).toBe(404);
});

test.each([
  ['without a body', '', undefined],
  ['without CallSid', { From: '+13035550100', To: '+12025550142' }, /^CallSid/],
  ['with an empty CallSid', { CallSid: ' ', From: '+13035550100', To: '+12025550142' }, /^CallSid/],
  ['without To', { CallSid: 'CA1', From: '+13035550100' }, /^To/],
  ['with a list as From', { CallSid: 'CA1', From: [], To: '+12025550142' }, /^From/],
])('A report %s is a 400', async (_, body, message) => {
  expect(outcome(await voice.tell(body))).toEqual(
    failure(400, message === undefined ? expect.any(String) : expect.stringMatching(message)),
  );
});
