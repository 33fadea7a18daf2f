import { afterAll, expect, test } from 'vitest';
import { finalStatuses } from '../../shared/calls/call.ts';
import { operationNamed, parsedBody } from '../access/parsed-body.ts';
import { contactsClient } from '../contacts/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { outcome } from '../harness/tenants.ts';
import { type CallRecord, callFailure, callsClient } from './client.ts';
import { expectConsistent } from './consistency.ts';

const { product, admin, rep } = await setUpTenants();
const calls = callsClient(product, rep);
afterAll(() => expectConsistent(product, admin));

const later = (call: CallRecord, ms: number) => new Date(Date.parse(call.startTime) + ms);

test('Ending a call returns `{success, message, data}` with the completed call', async () => {
  const call = await calls.answered();
  const end = later(call, 61_000);
  const { status, body } = await calls.end(call._id, {}, end);
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
  expect(body.data).toEqual({
    ...call,
    status: 'completed',
    endTime: end.toISOString(),
    duration: 61,
    updatedAt: end.toISOString(),
  });
  expect((await calls.read(call._id)).body.data).toEqual(body.data);
  expect((await calls.list()).body.data[0]).toEqual(body.data);
  expect((await calls.list({ contactId: call.contactId })).body.data).toEqual([body.data]);
});

test.each(['initiated', 'ringing', 'answered', 'Completed', '', 7, ['completed']])(
  'Ending a call is a 400 with the status %j',
  async (status) => {
    expect(await parsedBody(operationNamed('end-call'), { status })).toMatch(/^status/);
  },
);

test('Ending a call again with the same status changes nothing and emits nothing; with another one is a 409', async () => {
  const call = await calls.answered();
  const first = (await calls.end(call._id, { status: 'voicemail' })).body.data;
  const again = await calls.end(call._id, { status: 'voicemail' }, later(call, 90_000));
  expect({ status: again.status, data: again.body.data }).toEqual({ status: 200, data: first });
  const back = await calls.end(call._id, { status: 'completed' });
  expect(outcome(back)).toEqual(callFailure(409, 'The call has already ended, with the status voicemail.'));
  expect((await calls.read(call._id)).body.data).toEqual(first);
  const told = (await readEvents(product, admin.organizationId)).filter(
    ({ data }) => data.callId === call._id,
  );
  expect(told.map(({ event }) => event)).toEqual(['call_answered', 'call_ended']);
  expect(told[1]?.data.call).toEqual(first);
});

test('Ending a call twenty times at once, each in its own way, ends it once', async () => {
  const call = await calls.answered();
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      calls.end(call._id, { status: finalStatuses[index % finalStatuses.length] }),
    ),
  );
  const [ended] = responses.filter(({ status }) => status === 200);
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 409]));
  const record = (await calls.read(call._id)).body.data;
  expect(record).toEqual(ended?.body.data);
  expect(responses.filter(({ status }) => status === 200).map(({ body }) => body.data)).toEqual(
    responses.filter(({ status }) => status === 200).map(() => record),
  );
});

test('Ending a call works when the contact was deleted meanwhile: calls outlive their contacts', async () => {
  const call = await calls.answered();
  expect((await contactsClient(product, rep).remove(call.contactId)).status).toBe(200);
  // What the sweep does to all that the contact owned.
  const { table } = product.tableOf(admin.organizationId);
  const { partition, sort } = { partition: ['CONTACT', call.contactId], sort: ['VOICECALL', call._id] };
  await table.commit([table.delete({ partition, sort })]);
  expect((await calls.end(call._id)).body.data).toMatchObject({ status: 'completed' });
  expect((await calls.read(call._id)).body.data).toMatchObject({ contactId: call.contactId });
  expect(await calls.ids()).toContain(call._id);
  expect(await calls.ids({ contactId: call.contactId })).toEqual([]);
  expect(await callsClient(product, admin).ids()).toContain(call._id);
});
