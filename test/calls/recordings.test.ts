import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { after, second } from '../../shared/kernel/time.ts';
import { timedOut } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { deliverDeferred } from '../harness/queues.ts';
import { arrange, expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { signedForm, signedJson } from '../messages/twilio-signing.ts';
import { callEvents } from './call-records.ts';
import { callsClient } from './client.ts';
import { expectConsistent } from './consistency.ts';
import { newCallSid, newVoiceClient, reportAll as reportWhole, voiceUrl } from './reports.ts';

// The fields are those of Twilio's and SignalWire's documentation:
// https://www.twilio.com/docs/voice/twiml/recording#recordingstatuscallback
// https://developer.signalwire.com/compatibility-api/guides/signalwire-status-callbacks/recording-status-callbacks

const secret = 'fedcba9876543210fedcba9876543210';
const tenants = await setUpTenants();
const { product, admin, rep, foreignAdmin } = tenants;
const voice = await newVoiceClient(product, admin, rep);
const signed = await newVoiceClient(product, admin, rep, { secret });
const calls = callsClient(product, admin);
const faults = setUpFaultyTable();
afterAll(() => expectConsistent(product, admin));

const start = new Date();
const at = (seconds: number) => ({ at: after(start, seconds * second) });
const iso = (seconds: number) => after(start, seconds * second).toISOString();

const newRecordingSid = () => `RE${randomBytes(16).toString('hex')}`;
const urlOf = (sid: string) => `https://api.twilio.com/2010-04-01/Accounts/AC1/Recordings/${sid}`;

/** What Twilio posts once a recording is there. */
function newRecording(CallSid: string, more: Record<string, unknown> = {}) {
  const RecordingSid = newRecordingSid();
  return {
    AccountSid: 'AC0123456789abcdef0123456789abcdef',
    CallSid,
    RecordingSid,
    RecordingUrl: urlOf(RecordingSid),
    RecordingStatus: 'completed',
    RecordingDuration: '14',
    RecordingChannels: '1',
    RecordingStartTime: 'Mon, 12 Oct 2026 09:30:00 +0000',
    RecordingSource: 'StartCallRecordingAPI',
    RecordingTrack: 'both',
    ...more,
  };
}

/** A call that has ended 10 seconds after its start. */
const endedCall = async (more: Record<string, unknown> = {}) => {
  const { fields, last } = await reportWhole(voice, start, ['in-progress', 'completed'], more);
  return { ...fields, callId: last.callId as string, contactId: last.contactId as string };
};
const recordingsOf = async (callId: string): Promise<{ url: string; createdAt: string }[]> =>
  expectStatus(await calls.read(callId), 200).data.recordings;
const urlsOf = async (callId: string) => (await recordingsOf(callId)).map(({ url }) => url);

const nothing = {
  ...{ callId: null, contactId: null, conversationId: null, status: null },
  ...{ missed: false, duplicate: false },
};

test('The callback of a recording names its call by the id alone, comes after the end of it, and adds the recording', async () => {
  const { CallSid, callId, contactId } = await endedCall();
  const recording = newRecording(CallSid);
  const { data, message } = expectStatus(await voice.tell(recording, at(90)), 200);
  expect({ message, ...data }).toMatchObject({
    ...{ message: 'Call recorded', callId, contactId, status: 'completed' },
    ...{ missed: false, duplicate: false },
  });
  const call = expectStatus(await calls.read(callId), 200).data;
  expect(call).toMatchObject({
    recordings: [{ url: recording.RecordingUrl, createdAt: iso(90) }],
    ...{ endTime: iso(10), updatedAt: iso(90), from: expect.any(String), to: voice.phoneNumber },
  });
  expect(await callEvents(tenants, contactId)).toEqual(['call_answered', 'call_ended', 'call_updated']);
});

const longUrl = `https://api.twilio.com/${'x'.repeat(2_000)}`;
const shortSid = newRecordingSid();

/** Decisions 10, "Provider webhooks, types"; the states of a recording are those that Twilio documents for `RecordingStatus`. */
test.each<[string, Record<string, unknown>, 'added' | 'ignored' | string]>([
  ['that is completed', {}, 'added'],
  ['with a state in capitals', { RecordingStatus: 'COMPLETED' }, 'added'],
  ['with a blank around its state', { RecordingStatus: ' completed ' }, 'added'],
  ['that says nothing of its state', { RecordingStatus: undefined }, 'added'],
  ['whose state is null', { RecordingStatus: null }, 'added'],
  ['whose state is empty, as in a form', { RecordingStatus: '' }, 'added'],
  ['that has only begun', { RecordingStatus: 'in-progress' }, 'ignored'],
  ['that heard nothing', { RecordingStatus: 'absent' }, 'ignored'],
  ['that failed', { RecordingStatus: 'failed' }, 'ignored'],
  ['of a state that nobody has documented', { RecordingStatus: 'paused' }, 'ignored'],
  ['without a URL', { RecordingUrl: undefined }, 'ignored'],
  ['with an empty URL', { RecordingUrl: '' }, 'ignored'],
  ['with a URL that is a path', { RecordingUrl: '/2010-04-01/Recordings/RE1' }, 'ignored'],
  ['with a URL of another scheme', { RecordingUrl: 'ftp://files.example.com/RE1' }, 'ignored'],
  ['with a script as its URL', { RecordingUrl: 'javascript:alert(1)' }, 'ignored'],
  ['with a URL of more than 2,000 characters', { RecordingUrl: longUrl }, 'ignored'],
  ['with a list as its URL', { RecordingUrl: [urlOf(shortSid)] }, 'ignored'],
  ['without an id of its own', { RecordingSid: undefined }, 'added'],
  ['whose id is null', { RecordingSid: null }, 'added'],
  ['whose id is an integer', { RecordingSid: 4711 }, 'added'],
  ['whose id is very long', { RecordingSid: 'RE'.repeat(300) }, 'added'],
  ['with a length in digits', { RecordingDuration: 14 }, 'added'],
  ['with a length that is none', { RecordingDuration: {} }, 'added'],
  ['with empty numbers', { From: '', To: '' }, 'added'],
  ['with numbers that are null', { From: null, To: null }, 'added'],
  ['whose id is an object', { RecordingSid: {} }, 'RecordingSid must be a string'],
  ['whose id is a decimal', { RecordingSid: 1.5 }, 'RecordingSid must be a string'],
  ['of a call without an id', { CallSid: undefined }, 'CallSid is required'],
  ['of a call with an empty id', { CallSid: ' ' }, 'CallSid must not be empty'],
  ['of a call whose id is true', { CallSid: true }, 'CallSid must be a string'],
  ['with neither id nor URL', { RecordingSid: undefined, RecordingUrl: null }, 'To is required'],
])('The callback of a recording %s: %j is %s', async (_, fields, becomes) => {
  const { CallSid, callId } = await endedCall();
  const recording = newRecording(CallSid, fields);
  const response = await voice.tell(recording);
  if (becomes !== 'added' && becomes !== 'ignored') {
    expect(outcome(response)).toEqual(failure(400, becomes));
    return;
  }
  const { data } = expectStatus(response, 200);
  expect(data).toMatchObject({ callId, duplicate: becomes === 'ignored' });
  expect(await urlsOf(callId)).toEqual(becomes === 'added' ? [recording.RecordingUrl] : []);
});

test('A recording is stored once, however often its callback comes, at once and later, and under whatever URL', async () => {
  const { CallSid, callId, contactId } = await endedCall();
  const recording = newRecording(CallSid);
  const { RecordingSid, RecordingUrl } = recording;
  const all = await Promise.all(Array.from({ length: 10 }, () => voice.tell(recording)));
  expect(all.filter(({ body }) => body.data.duplicate === false)).toHaveLength(1);
  for (const again of [
    recording,
    { ...recording, RecordingUrl: `${RecordingUrl}?X-Amz-Signature=1` },
    { ...recording, RecordingSid: undefined },
  ]) {
    expect(expectStatus(await voice.tell(again), 200).data).toMatchObject({ callId, duplicate: true });
  }
  await arrange(voice.report({ CallSid, From: newPhoneNumber(), CallStatus: 'completed', RecordingUrl }));
  await arrange(
    voice.report({
      CallSid,
      From: newPhoneNumber(),
      CallStatus: 'completed',
      RecordingUrl: longUrl.slice(0, 99),
      RecordingSid,
    }),
  );
  expect(await urlsOf(callId)).toEqual([RecordingUrl]);
  expect(await callEvents(tenants, contactId)).toEqual(['call_answered', 'call_ended', 'call_updated']);
});

test('A call has at most 20 recordings', async () => {
  const { CallSid, callId } = await endedCall();
  for (let count = 0; count < 21; count += 1) {
    const { data } = await arrange(voice.tell(newRecording(CallSid)));
    expect(data.duplicate).toBe(count === 20);
  }
  expect(await recordingsOf(callId)).toHaveLength(20);
});

test('The recording of a call that still rings, of an outbound one and of a withheld caller is added', async () => {
  const outbound = { Direction: 'outbound-api', From: voice.phoneNumber, To: newPhoneNumber() };
  for (const fields of [
    { From: newPhoneNumber() },
    outbound,
    { From: 'anonymous' },
    { From: 'sip:a@example.com' },
  ]) {
    const CallSid = newCallSid();
    const { data } = await arrange(voice.report({ CallSid, CallStatus: 'ringing', ...fields }));
    const recording = newRecording(CallSid);
    expect((await arrange(voice.tell(recording))).data).toMatchObject({
      ...{ callId: data.callId, contactId: data.contactId, status: 'ringing', duplicate: false },
    });
    expect(await urlsOf(data.callId)).toEqual([recording.RecordingUrl]);
  }
});

test('The recording of a call that nobody has reported, or that was discarded, is 200, and nothing is stored', async () => {
  const unknown = await voice.tell(newRecording(newCallSid()));
  expect(outcome(unknown)).toEqual({
    status: 200,
    body: {
      success: true,
      message: 'No call with this CallSid was reported in the last 30 days, so the recording was not stored.',
      data: nothing,
    },
  });
  const { CallSid, callId } = await endedCall();
  await arrange(calls.discard(callId));
  expect((await arrange(voice.tell(newRecording(CallSid)))).data).toEqual(nothing);
});

test('The recording of a call whose contact was deleted stays away', async () => {
  const theirs = await newVoiceClient(product, foreignAdmin, foreignAdmin);
  const { fields, last } = await reportWhole(theirs, start, ['completed']);
  const { callId, contactId } = last;
  await arrange(product.call('delete-contact', { token: foreignAdmin.token, path: { id: contactId } }));
  const { data } = await arrange(voice.tell(newRecording(fields.CallSid)));
  expect(data).toMatchObject({ callId, duplicate: true });
  const call = expectStatus(await callsClient(product, foreignAdmin).read(callId), 200).data;
  expect(call.recordings).toEqual([]);
});

const refused = failure(
  403,
  'X-Twilio-Signature does not match this request. Sign the URL called and the body with the secret of the phone number.',
);

test('The callback of a recording that Twilio signed, as a form and as JSON, is taken, and no other', async () => {
  const CallSid = newCallSid();
  const From = newPhoneNumber();
  await arrange(signed.signedForm({ CallSid, From, CallStatus: 'completed' }, secret));
  const recordings = [newRecording(CallSid), newRecording(CallSid), newRecording(CallSid)];
  const [first, other, forged] = recordings as [Recording, Recording, Recording];
  const text = new URLSearchParams(first as unknown as Record<string, string>).toString();
  const json = JSON.stringify(other);
  for (const response of [
    await signed.tell(JSON.stringify(forged)),
    await signed.tell(text, signedForm('another', voiceUrl, first)),
    await signed.tell(text, signedForm(secret, voiceUrl, forged)),
    await signed.tell(json, signedJson('another', voiceUrl, json)),
  ]) {
    expect(outcome(response)).toEqual(refused);
  }
  expect((await signed.tell(text, signedForm(secret, voiceUrl, first))).status).toBe(200);
  const { data } = expectStatus(await signed.tell(json, signedJson(secret, voiceUrl, json)), 200);
  expect(await urlsOf(data.callId)).toEqual([first.RecordingUrl, other.RecordingUrl]);
});
type Recording = ReturnType<typeof newRecording>;

test('The number of a call may be removed, and given to another organization, before its recording comes', async () => {
  const line = await newVoiceClient(product, admin, rep, { secret });
  const CallSid = newCallSid();
  await arrange(line.signedForm({ CallSid, From: newPhoneNumber(), CallStatus: 'completed' }, secret));
  const { organizationId, token } = admin;
  const path = { organizationId, phoneNumber: line.phoneNumber };
  await arrange(product.call('remove-phone-number', { token, path }));
  await newVoiceClient(product, foreignAdmin, foreignAdmin, {
    phoneNumber: line.phoneNumber,
    secret: 'theirs',
  });
  const recording = newRecording(CallSid);
  const body = JSON.stringify(recording);
  expect(outcome(await line.tell(body, signedJson('theirs', voiceUrl, body)))).toEqual(refused);
  const { data } = expectStatus(await line.tell(body, signedJson(secret, voiceUrl, body)), 200);
  expect(await urlsOf(data.callId)).toEqual([recording.RecordingUrl]);
});

test('Whoever reports a call with the id of another organization does not get its recording', async () => {
  const CallSid = newCallSid();
  const fields = { CallSid, From: newPhoneNumber(), CallStatus: 'completed' };
  const thief = await newVoiceClient(product, foreignAdmin, foreignAdmin);
  const stolen = (await arrange(thief.report(fields))).data;
  await arrange(signed.signedForm(fields, secret));
  const recording = newRecording(CallSid);
  const body = JSON.stringify(recording);
  const { data } = expectStatus(await signed.tell(body, signedJson(secret, voiceUrl, body)), 200);
  expect(await urlsOf(data.callId)).toEqual([recording.RecordingUrl]);
  const theirs = await callsClient(product, foreignAdmin).read(stolen.callId);
  expect(expectStatus(theirs, 200).data.recordings).toEqual([]);
});

test('The callback of a recording that cannot be stored now is deferred, and stored once', async () => {
  const { CallSid, callId } = await endedCall();
  const recording = newRecording(CallSid);
  for (const command of ['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand'] as const) {
    faults.always(command, timedOut);
  }
  expect((await voice.tell(recording)).status).toBe(202);
  faults.clear();
  const deferred = product.queues.deferredRequests.take().map(({ body }) => body);
  expect(await deliverDeferred(product.providers, [...deferred, ...deferred])).toEqual({
    batchItemFailures: [],
  });
  expect(await urlsOf(callId)).toEqual([recording.RecordingUrl]);
});

test('A recording goes to neither of two organizations that report a call with its id and have no secret', async () => {
  const theirs = await newVoiceClient(product, foreignAdmin, foreignAdmin);
  for (const order of [
    [voice, theirs],
    [theirs, voice],
  ]) {
    const CallSid = newCallSid();
    for (const client of order) {
      expectStatus(await client.report({ CallSid, From: newPhoneNumber(), CallStatus: 'completed' }), 200);
    }
    const { data } = expectStatus(await voice.tell(newRecording(CallSid)), 200);
    expect(data).toMatchObject({ callId: null, contactId: null });
  }
});
