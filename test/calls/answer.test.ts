import { afterAll, expect, test } from 'vitest';
import { after } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, countStatuses, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { eventsAbout } from './call-records.ts';
import { callFailure, callsClient } from './client.ts';
import { expectConsistent } from './consistency.ts';
import { newVoiceClient } from './reports.ts';

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const calls = callsClient(product, rep);
afterAll(() => expectConsistent(product, admin));

const newCall = () => calls.dialed({ phoneNumber: newPhoneNumber() });

test('An outbound call is answered: `{success, message, data}`, with `answerTime` now', async () => {
  const call = await newCall();
  const at = after(new Date(call.startTime), 7_000);
  const { status, body } = await calls.take(call._id, at);
  expect(status).toBe(200);
  expect(body.data).toEqual({
    ...call,
    ...{ status: 'answered', answerTime: at.toISOString(), updatedAt: at.toISOString() },
  });
  expect((await calls.read(call._id)).body.data).toEqual(body.data);
  expect((await calls.list({ status: 'answered' })).body.data).toContainEqual(body.data);
  expect((await calls.list({ status: 'initiated' })).body.data).not.toContainEqual(
    expect.objectContaining({ _id: call._id }),
  );
  const names = (await eventsAbout(tenants, call.contactId)).map(({ event }) => event);
  expect(names).toEqual(['contact_created', 'call_initiated', 'call_answered']);
});

test('Answering a call again changes nothing, however often and simultaneously', async () => {
  const call = await newCall();
  const responses = await Promise.all(Array.from({ length: 20 }, () => calls.take(call._id)));
  expect(countStatuses(responses)).toEqual({ 200: 20 });
  expect(new Set(responses.map(({ body }) => body.data.answerTime)).size).toBe(1);
  const names = (await eventsAbout(tenants, call.contactId)).map(({ event }) => event);
  expect(names.filter((name) => name === 'call_answered')).toHaveLength(1);
});

test('Answering a call that has ended is a 409', async () => {
  const call = await newCall();
  const ended = (await calls.end(call._id, { status: 'busy' })).body.data;
  expect(outcome(await calls.take(call._id))).toEqual(
    callFailure(409, 'The call has already ended, with the status busy.'),
  );
  expect((await calls.read(call._id)).body.data).toEqual(ended);
});

test('An inbound call that rings can be answered by its user; it is then not missed, however its provider ends it', async () => {
  const voice = await newVoiceClient(product, admin, rep);
  const fields = { CallSid: 'CA1', From: newPhoneNumber() };
  const { data } = await arrange(voice.report({ ...fields, CallStatus: 'ringing' }));
  expect((await calls.take(data.callId)).body.data.status).toBe('answered');
  const end = await arrange(voice.report({ ...fields, CallStatus: 'no-answer' }));
  expect(end.data).toMatchObject({ status: 'completed', missed: false });
});
