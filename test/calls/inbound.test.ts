import { afterAll, expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { newPhoneNumber, outcome } from '../harness/tenants.ts';
import { eventsAbout, readVoiceConversations } from './call-records.ts';
import { type CallRecord, callFailure, callsClient, keysWithout, numberSpellings } from './client.ts';
import { expectConsistent } from './consistency.ts';

const tenants = await setUpTenants();
const { product, admin, rep, foreignAdmin } = tenants;
const client = callsClient(product, rep);
const contacts = contactsClient(product, admin);
afterAll(() => expectConsistent(product, admin));

test('An inbound call of an unknown number returns 201 `{success: true, call: Call, message: string}`, makes a contact `Unknown Caller` with a voice conversation, and emits both', async () => {
  const [number, now] = [newPhoneNumber(), new Date()];
  const { status, body } = await client.answer(number, now);
  const call: CallRecord = body.call;
  expect(status).toBe(201);
  expect(Object.keys(body)).toEqual(['success', 'call', 'message']);
  expect(body).toMatchObject({ success: true, message: expect.any(String) });
  expect(Object.keys(call)).toEqual(keysWithout('to', 'providerPhoneNumber', 'endTime', 'duration'));
  const time = now.toISOString();
  expect(call).toEqual({
    _id: expect.any(String),
    // "provider-agnostic id minted by the service; also used as `providerCallId` for SDK calls"
    callId: call._id,
    providerCallId: call._id,
    provider: 'sdk',
    direction: 'inbound',
    // "a Call with status `answered` is recorded"
    status: 'answered',
    from: number,
    contactId: expect.any(String),
    conversationId: expect.any(String),
    organizationId: rep.organizationId,
    userId: rep.userId,
    startTime: time,
    answerTime: time,
    recordings: [],
    createdAt: time,
    updatedAt: time,
  });
  expect((await client.read(call._id)).body).toEqual({ success: true, data: call });

  expect((await contacts.read(call.contactId)).body.data).toMatchObject({
    firstName: 'Unknown Caller',
    lastName: '',
    fullName: 'Unknown Caller',
    source: 'Incoming Call',
    stage: 'New',
    owner: rep.userId,
    createdBy: rep.userId,
    phoneNumbers: [{ value: number, label: '', isPrimary: true }],
  });
  expect((await contacts.board({ search: number })).New?.total).toBe(1);

  expect(await readVoiceConversations(tenants, call.contactId)).toMatchObject([
    { _id: call.conversationId, userId: rep.userId, messageCount: 0, lastMessageAt: null },
  ]);

  const events = await eventsAbout(tenants, call.contactId);
  expect(events.map(({ event }) => event).sort()).toEqual(['call_answered', 'contact_created']);
  const { _id: callId, contactId, conversationId } = call;
  expect(events.find(({ event }) => event === 'call_answered')).toMatchObject({
    data: { callId, contactId, conversationId, call },
    audience: { kind: 'record', people: [rep.userId] },
  });
});

test('A known number is found in every spelling: one contact, one voice conversation, a call each', async () => {
  const value = newPhoneNumber();
  const calls = [];
  for (const spelling of numberSpellings(value)) {
    calls.push(await client.answered(spelling));
  }
  expect(new Set(calls.map(({ contactId }) => contactId)).size).toBe(1);
  expect(new Set(calls.map(({ conversationId }) => conversationId)).size).toBe(1);
  expect(new Set(calls.map(({ _id }) => _id)).size).toBe(calls.length);
  expect(new Set(calls.map(({ from }) => from))).toEqual(new Set([value]));
});

test('A known number leaves the contact as it is, but for the voice conversation of its first call', async () => {
  const [value, other] = [newPhoneNumber(), newPhoneNumber()];
  const record = await contacts.created({
    firstName: 'Known',
    phoneNumbers: [{ value: other }, { value }],
    owner: rep.userId,
  });
  const calls = [await client.answered(value), await client.answered(other)];
  expect(calls.map(({ contactId }) => contactId)).toEqual([record._id, record._id]);
  expect((await contacts.read(record._id)).body.data).toEqual(record);
  expect(await readVoiceConversations(tenants, record._id)).toHaveLength(1);
  expect((await eventsAbout(tenants, record._id)).map(({ event }) => event).sort()).toEqual([
    'call_answered',
    'call_answered',
    'contact_created',
  ]);
});

test('A known number of somebody else’s contact is recorded for who answered, and reveals no more than two ids', async () => {
  const value = newPhoneNumber();
  const { _id } = await contacts.created({ firstName: 'Hidden', phoneNumbers: [{ value }] });
  const responses = [await client.answer(value), await client.dial({ phoneNumber: value })];
  for (const { status, body } of responses) {
    expect(status).toBe(201);
    expect(body.call).toMatchObject({ contactId: _id, userId: rep.userId });
    expect(Object.keys(body.call).filter((key) => !keysWithout().includes(key))).toEqual([]);
    expect(JSON.stringify(body)).not.toContain('Hidden');
    expect((await client.read(body.call._id)).status).toBe(200);
  }
  expect((await contactsClient(product, rep).read(_id)).status).toBe(404);
  const answered = (await eventsAbout(tenants, _id)).find(({ event }) => event === 'call_answered');
  expect(answered?.audience).toEqual({ kind: 'record', people: [rep.userId, admin.userId] });
});

test('A known number of another organization is unknown here', async () => {
  const value = newPhoneNumber();
  const there = await callsClient(product, foreignAdmin).answered(value);
  const here = await client.answered(value);
  expect(here.contactId).not.toBe(there.contactId);
  expect(here.organizationId).toBe(rep.organizationId);
});

test.each([
  undefined,
  null,
  15550101815,
  '',
  '+',
  '15550101815',
  '+0123456789',
  '+1234567890123456',
  'anonymous',
  ['+15550101815'],
])('What is not an E.164 number is refused: %j', async (callerNumber) => {
  expect(outcome(await client.answer(callerNumber as string))).toEqual(
    callFailure(400, expect.stringMatching(/^callerNumber/)),
  );
});
