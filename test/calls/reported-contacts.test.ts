import { afterAll, expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { setDisabled } from '../organizations/client.ts';
import { callEvents } from './call-records.ts';
import { callsClient } from './client.ts';
import { expectConsistent } from './consistency.ts';
import { newCallSid, newVoiceClient, reportAll as reportWhole } from './reports.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep } = tenants;
const voice = await newVoiceClient(product, admin, rep);
const calls = callsClient(product, admin);
afterAll(() => expectConsistent(product, admin));

const start = new Date();
const read = async (callId: string) => expectStatus(await calls.read(callId), 200).data;

const reportAll = (statuses: readonly string[], more?: Record<string, unknown>) =>
  reportWhole(voice, start, statuses, more);

test.each(['outbound-api', 'outbound-dial'])(
  'Of an %s call, `From` is the number of the organization',
  async (Direction) => {
    const to = newPhoneNumber();
    const fields = { CallSid: newCallSid(), Direction, From: voice.phoneNumber, To: to };
    const { data } = (await voice.tell({ ...fields, CallStatus: 'ringing' })).body;
    await arrange(voice.tell({ ...fields, CallStatus: 'busy' }));
    const call = await read(data.callId);
    expect(call).toMatchObject({
      direction: 'outbound',
      from: voice.phoneNumber,
      to,
      userId: rep.userId,
      status: 'busy',
    });
    expect(call).not.toHaveProperty('missedCall');
    expect((await contactsClient(product, admin).read(data.contactId)).body.data).toMatchObject({
      firstName: 'New Contact',
      source: 'Outgoing Call',
    });
    expect(await callEvents(tenants, data.contactId)).toEqual(['call_initiated', 'call_ended']);
  },
);

test('All who withhold their number from a user are one contact without a number, and their calls have none', async () => {
  const responses = [];
  for (const From of ['anonymous', 'RESTRICTED', 'Unavailable', 'unknown', '', '+266696687', null]) {
    responses.push(expectStatus(await voice.report({ From, CallStatus: 'no-answer' }), 200).data);
  }
  expect(new Set(responses.map(({ callId }) => callId)).size).toBe(responses.length);
  expect(new Set(responses.map(({ contactId }) => contactId)).size).toBe(1);
  for (const { callId } of responses) {
    expect(await read(callId)).not.toHaveProperty('from');
  }
  expect((await contactsClient(product, admin).read(responses[0].contactId)).body.data).toMatchObject({
    ...{ firstName: 'Unknown Caller', source: 'Incoming Call', phoneNumbers: [], customFields: {} },
    owner: rep.userId,
  });
  const other = await newVoiceClient(product, admin, otherRep);
  const { data } = (await other.report({ From: 'anonymous', CallStatus: 'ringing' })).body;
  expect(data.contactId).not.toBe(responses[0].contactId);
});

test('A caller with an address that is not a number is a contact with that address', async () => {
  const From = `sip:ada${newCallSid()}@example.com`;
  const [one, two] = [
    await voice.report({ From, CallStatus: 'ringing' }),
    await voice.report({ From, CallStatus: 'ringing' }),
  ].map(({ body }) => body.data);
  expect(two.contactId).toBe(one.contactId);
  expect((await contactsClient(product, admin).read(one.contactId)).body.data.customFields).toEqual({
    sender: From,
  });
});

test('The contact of an unknown caller belongs to nobody while the user of the number is disabled', async () => {
  const colleague = await product.newColleague(admin);
  const theirs = await newVoiceClient(product, admin, colleague);
  await setDisabled(product, admin, colleague, true);
  const { data } = (await theirs.report({ From: newPhoneNumber(), CallStatus: 'ringing' })).body;
  expect((await contactsClient(product, admin).read(data.contactId)).body.data.owner).toBeNull();
  expect(await read(data.callId)).toMatchObject({ userId: colleague.userId });
});

test('A call goes on after its contact was deleted, without its number', async () => {
  const { fields, last } = await reportAll(['ringing']);
  expectStatus(await contactsClient(product, admin).remove(last.contactId), 200);
  const { table } = product.tableOf(admin.organizationId);
  const { partition, sort } = { partition: ['CONTACT', last.contactId], sort: ['VOICECALL', last.callId] };
  await table.commit([table.delete({ partition, sort })]);
  const { data } = (await voice.report({ ...fields, CallStatus: 'no-answer' })).body;
  expect(data).toMatchObject({ callId: last.callId, status: 'no-answer', missed: true });
});
