import { afterAll, expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, outcome } from '../harness/tenants.ts';
import { setDisabled } from '../organizations/client.ts';
import { left, withContact } from './call-records.ts';
import { callFailure, callsClient, newCall } from './client.ts';
import { expectConsistent, readRecords } from './consistency.ts';
import { receiveMessage } from './messages.ts';

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const calls = callsClient(product, rep);
afterAll(() => expectConsistent(product, admin));

const missing = callFailure(404, 'Call not found');

test('Discarding a call returns 200 `{success: true, message: string}`; the call is deleted', async () => {
  const call = await calls.answered();
  const { status, body } = await calls.discard(call._id, { contactId: call.contactId, deleteContact: false });
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['success', 'message']);
  expect(body).toEqual({ success: true, message: expect.any(String) });
  expect((await calls.read(call._id)).status).toBe(404);
  expect(await calls.ids()).not.toContain(call._id);
  expect(await calls.ids({ contactId: call.contactId })).toEqual([]);
});

/** Decisions 8: a call that never existed is 404; one already discarded is 200 and changes nothing. */
test('Discarding a call that never existed is a 404 `{success: false, error: string}`', async () => {
  for (const id of ['01JZZZZZZZZZZZZZZZZZZZZZZZ', 'x', 'a.b']) {
    expect(outcome(await calls.discard(id))).toEqual(missing);
  }
});

test('Discarding a call already discarded is a no-op, safe: 200 as before, and changes nothing', async () => {
  const call = await calls.answered();
  await arrange(calls.discard(call._id));
  const before = await readRecords(product, admin.organizationId);
  for (const body of [{}, withContact(call)]) {
    const response = await calls.discard(call._id, body);
    expect(response.status).toBe(200);
    expect(Object.keys(response.body)).toEqual(['success', 'message']);
  }
  expect(await readRecords(product, admin.organizationId)).toEqual(before);
});

test('Discarding a call is for its own user, and for a role whose scope sees it, even when it is discarded already', async () => {
  for (const who of ['rep', 'head', 'admin'] as const) {
    const call = await calls.answered();
    const own = callsClient(product, tenants[who]);
    for (const isFirst of [true, false]) {
      for (const other of ['otherRep', 'otherHead', 'foreignAdmin', 'foreignRep', 'superadmin'] as const) {
        expect(
          outcome(await callsClient(product, tenants[other]).discard(call._id, withContact(call))),
        ).toEqual(missing);
      }
      expect(await left(tenants, call)).toMatchObject({ call: isFirst });
      expect((await own.discard(call._id, withContact(call))).status).toBe(200);
    }
    // Its contact is gone, and yet the same people are told that it was discarded.
    expect((await calls.discard(call._id)).status).toBe(200);
    expect(await left(tenants, call)).toEqual({ call: false, conversation: false, contact: false });
  }
});

test('Discarding a call keeps nothing of it but that it was there: no number, no contact', async () => {
  const call = await calls.answered();
  await arrange(calls.discard(call._id, withContact(call)));
  const records = await readRecords(product, admin.organizationId);
  expect(records.get(`CALL#${call._id} CALL`)).toEqual({
    _id: call._id,
    discardedAt: expect.any(String),
    people: [rep.userId],
  });
});

test('Discarding a call takes wrong types for a 400 that names the field, and changes nothing', async () => {
  const call = await calls.answered();
  for (const [body, field] of [
    [{ contactId: 7, deleteContact: true }, 'contactId'],
    [{ contactId: call.contactId, deleteContact: 'true' }, 'deleteContact'],
    [{ contactId: call.contactId, deleteContact: 1 }, 'deleteContact'],
  ] as const) {
    expect(outcome(await calls.discard(call._id, body))).toEqual(
      callFailure(400, expect.stringMatching(new RegExp(`^${field}`))),
    );
  }
  expect(await left(tenants, call)).toEqual({ call: true, conversation: true, contact: true });
});

test('The voice conversation of a discarded call is deleted if it has no messages; the contact stays', async () => {
  const call = await calls.answered();
  await arrange(calls.discard(call._id));
  expect(await left(tenants, call)).toEqual({ call: false, conversation: false, contact: true });
  const again = await calls.answered(call.from ?? '');
  expect(again.contactId).toBe(call.contactId);
  expect(again.conversationId).not.toBe(call.conversationId);
});

test('The voice conversation of a discarded call stays with a message in it', async () => {
  const call = await calls.answered();
  await receiveMessage(product, rep, call.from ?? '', 'voice');
  await arrange(calls.discard(call._id, withContact(call)));
  expect(await left(tenants, call)).toEqual({ call: false, conversation: true, contact: true });
});

test('The voice conversation of a discarded call stays with another call, until that is discarded too', async () => {
  const first = await calls.answered();
  const second = await calls.dialed({ phoneNumber: first.from });
  await arrange(calls.discard(first._id));
  expect(await left(tenants, first)).toEqual({ call: false, conversation: true, contact: true });
  await arrange(calls.discard(second._id));
  expect(await left(tenants, second)).toEqual({ call: false, conversation: false, contact: true });
});

test('A user who is disabled discards no call and no contact with it, though the access token is valid still', async () => {
  const user = await product.newColleague(admin);
  const { callId, contactId } = await newCall(product, user);
  await setDisabled(product, admin, user, true);
  const discard = () =>
    product.call('discard-call', {
      token: user.token,
      path: { callId },
      body: { contactId, deleteContact: true },
      at: new Date(Date.now() + 11_000),
    });
  expect((await discard()).status).toBe(401);
  expect(await callsClient(product, admin).ids()).toContain(callId);
  await setDisabled(product, admin, user, false);
  expect((await discard()).status).toBe(200);
});
