import { afterAll, afterEach, expect, test } from 'vitest';
import { after, second } from '../../shared/kernel/time.ts';
import { replyLost, timedOut } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { deliverDeferred } from '../harness/queues.ts';
import { expectStatus, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { emptyResponse, form } from '../messages/webhook-client.ts';
import { callEvents } from './call-records.ts';
import { callsClient } from './client.ts';
import { callsIn, expectConsistent, readRecords } from './consistency.ts';
import { newCallSid, newVoiceClient } from './reports.ts';

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const voice = await newVoiceClient(product, admin, rep);
const calls = callsClient(product, admin);
const faults = setUpFaultyTable();
const queue = product.queues.deferredRequests;
afterEach(() => {
  faults.clear();
  queue.take();
});
afterAll(() => expectConsistent(product, admin));

const start = new Date();
const at = (seconds: number) => ({ at: after(start, seconds * second) });
const iso = (seconds: number) => after(start, seconds * second).toISOString();
const read = async (callId: string) => expectStatus(await calls.read(callId), 200).data;

function failAll(): void {
  for (const command of ['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand'] as const) {
    faults.always(command, timedOut);
  }
  faults.always('TransactWriteItemsCommand', timedOut);
}

test('Reports are deferred while the table is out of reach, and applied in whatever order: the later state wins', async () => {
  const fields = { CallSid: newCallSid(), From: newPhoneNumber() };
  failAll();
  for (const [index, CallStatus] of ['ringing', 'in-progress', 'completed'].entries()) {
    const response = await voice.report({ ...fields, CallStatus }, at(index * 10));
    expect(outcome(response)).toEqual({
      status: 202,
      body: { success: true, message: 'Received. It will be processed within minutes.' },
    });
  }
  const deferred = queue.take();
  expect(new Set(deferred.map(({ group }) => group))).toEqual(new Set([voice.phoneNumber]));
  faults.clear();
  const [ringing, answered, completed] = deferred.map(({ body }) => body) as [string, string, string];
  for (const body of [completed, ringing, answered, completed]) {
    expect(await deliverDeferred(product.providers, [body])).toEqual({
      batchItemFailures: [],
    });
  }
  const { data } = (await voice.report({ ...fields, CallStatus: 'ringing' })).body;
  expect(data).toMatchObject({ status: 'completed', duplicate: true });
  // As of when the reports came, not of when they were applied.
  expect(await read(data.callId)).toMatchObject({ endTime: iso(20) });
  expect(await callEvents(tenants, data.contactId)).toEqual(['call_answered', 'call_ended']);
});

test('A report as a form whose reply from the table is lost gets the empty Response, and makes one call', async () => {
  const CallSid = newCallSid();
  const fields = { CallSid, From: newPhoneNumber(), To: voice.phoneNumber, CallStatus: 'no-answer' };
  faults.always('TransactWriteItemsCommand', replyLost);
  const { status, body, headers } = await voice.tell(new URLSearchParams(fields).toString(), {
    headers: form,
  });
  expect({ status, body }).toEqual({ status: 200, body: emptyResponse });
  expect(headers['content-type']).toMatch(/^text\/xml/);
  faults.clear();
  const bodies = queue.take().map((message) => message.body);
  expect(await deliverDeferred(product.providers, bodies)).toEqual({ batchItemFailures: [] });
  const records = await readRecords(product, admin.organizationId);
  expect(callsIn(records).filter(({ from }) => from === fields.From)).toMatchObject([
    { status: 'no-answer' },
  ]);
});
