import { expect, onTestFinished, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { faultyTable } from '../contacts/faulty-table.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { type CallRecord, type CallsClient, callFailure, callsClient } from './client.ts';

/** The client of each person of the organization. */
const clients = {} as Record<'admin' | 'head' | 'rep' | 'otherRep' | 'otherHead', CallsClient>;
const people = ['admin', 'head', 'rep', 'otherRep', 'otherHead'] as const;
/** Calls of each, oldest first; every third one ended as no-answer, another third as completed. */
const calls = {} as Record<(typeof people)[number], CallRecord[]>;
const start = Date.now() - 3_000_000;

const tenants = await setUpTenants();
const { product, superadmin, admin, head, rep, otherHead, foreignAdmin, newContact } = tenants;
let minute = 0;
for (const who of people) {
  clients[who] = callsClient(product, tenants[who]);
  calls[who] = [];
}
for (let round = 0; round < 6; round += 1) {
  for (const who of people) {
    minute += 1;
    const call = await clients[who].answered(newPhoneNumber(), new Date(start + minute * 60_000));
    const status = [undefined, 'voicemail', 'completed'][round % 3];
    if (status !== undefined) {
      await arrange(clients[who].end(call._id, { status }));
    }
    calls[who].push((await clients[who].read(call._id)).body.data);
  }
}

const newestFirst = (list: CallRecord[]) =>
  [...list].sort((a, b) => (a._id < b._id ? 1 : -1)).map(({ _id }) => _id);

test('The list of calls is `{success, data, nextCursor}` with whole calls, newest first', async () => {
  const { status, body } = await clients.rep.list();
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['success', 'data', 'nextCursor']);
  expect(body).toEqual({ success: true, data: [...calls.rep].reverse(), nextCursor: null });
});

test('The list of calls is read so that a call recorded or ended a moment ago is among them as it is', async () => {
  const { _id, contactId } = await clients.admin.answered();
  const { data } = (await clients.admin.end(_id)).body;
  const reads = faultyTable();
  onTestFinished(reads.restore);
  for (const query of [{}, { contactId }, { userId: admin.userId }]) {
    reads.clear();
    expect((await clients.admin.list(query)).body.data[0]).toEqual(data);
    expect(reads.tries('QueryCommand')).toMatchObject([{ ConsistentRead: true }]);
  }
  await arrange(clients.admin.discard(_id));
});

test('The list of calls shows a SALES_REP their own calls, a DEPARTMENT_HEAD those of the team, an ADMIN all', async () => {
  const all = people.flatMap((who) => calls[who]);
  expect(await clients.rep.ids()).toEqual(newestFirst(calls.rep));
  expect(await clients.otherRep.ids()).toEqual(newestFirst(calls.otherRep));
  expect(await clients.head.ids()).toEqual(newestFirst([...calls.head, ...calls.rep]));
  expect(await clients.otherHead.ids()).toEqual(newestFirst(calls.otherHead));
  expect(await clients.admin.ids()).toEqual(newestFirst(all));
  const headers = { 'x-organization-id': admin.organizationId };
  expect(await callsClient(product, superadmin, headers).ids()).toEqual(newestFirst(all));
});

test.each([1, 2, 7, 30, 100])(
  'The list of calls comes whole in pages of %i, and a page says where the next starts',
  async (limit) => {
    for (const who of ['admin', 'head'] as const) {
      const whole = await clients[who].ids();
      expect(await clients[who].ids({ limit: String(limit) })).toEqual(whole);
      const page = expectStatus(await clients[who].list({ limit: String(limit) }), 200);
      expect(page.data).toHaveLength(Math.min(limit, whole.length));
      expect(page.nextCursor === null).toBe(limit >= whole.length);
    }
  },
);

test('The list of calls has 25 a page by default', async () => {
  expect((await clients.admin.list()).body.data).toHaveLength(25);
});

test('The list of calls by user shows a user in scope, and nothing of any other', async () => {
  const { userId } = rep;
  for (const who of ['rep', 'head', 'admin'] as const) {
    expect(await clients[who].ids({ userId })).toEqual(newestFirst(calls.rep));
  }
  for (const who of ['otherRep', 'otherHead'] as const) {
    expect(await clients[who].ids({ userId })).toEqual([]);
  }
  expect(await clients.rep.ids({ userId: head.userId })).toEqual([]);
});

test('The list of calls by status fills its pages, whatever lies between', async () => {
  for (const status of ['answered', 'voicemail', 'completed']) {
    const wanted = people.flatMap((who) => calls[who]).filter((call) => call.status === status);
    expect(await clients.admin.ids({ status })).toEqual(newestFirst(wanted));
    const { data, nextCursor } = (await clients.admin.list({ status, limit: '9' })).body;
    expect(data).toHaveLength(9);
    expect(nextCursor).not.toBeNull();
    expect(await clients.admin.ids({ status, limit: '2' })).toEqual(newestFirst(wanted));
  }
  expect(await clients.admin.ids({ status: 'busy' })).toEqual([]);
  expect(await clients.head.ids({ status: 'completed', userId: rep.userId })).toEqual(
    newestFirst(calls.rep.filter(({ status }) => status === 'completed')),
  );
});

test.each([[{ status: 'ended' }, 'status']])(
  'The list of calls refuses %j and names the field',
  async (query, field) => {
    expect(outcome(await clients.rep.list(query as Record<string, string>))).toEqual(
      callFailure(400, expect.stringMatching(new RegExp(`^${field}`))),
    );
  },
);

test('The calls of one contact are all listed for those who can see the contact; anyone else sees only their own', async () => {
  const value = newPhoneNumber();
  const { _id: contactId } = await newContact({ phoneNumbers: [{ value }] });
  const own = await clients.rep.answered(value);
  const another = await clients.otherRep.dialed({ phoneNumber: value });
  const both = newestFirst([own, another]);
  for (const who of ['rep', 'head', 'admin'] as const) {
    expect(await clients[who].ids({ contactId })).toEqual(both);
    expect(await clients[who].ids({ contactId, limit: '1' })).toEqual(both);
    expect(await clients[who].ids({ contactId, status: 'initiated' })).toEqual([another._id]);
    expect(await clients[who].ids({ contactId, userId: rep.userId })).toEqual([own._id]);
    expect((await clients[who].read(another._id)).status).toBe(200);
  }
  expect(await clients.otherRep.ids({ contactId })).toEqual([another._id]);
  expect((await clients.otherRep.read(own._id)).status).toBe(404);
  expect(await clients.otherHead.ids({ contactId })).toEqual([]);
  expect((await clients.otherHead.read(another._id)).status).toBe(404);
  expect(await clients.rep.ids()).not.toContain(another._id);
  // Whoever is given the contact sees its calls, too.
  await arrange(contactsClient(product, admin).update(contactId, { assignees: [otherHead.userId] }));
  expect(await clients.otherHead.ids({ contactId })).toEqual(both);
  expect((await clients.otherHead.read(own._id)).status).toBe(200);
});

test('The calls of one contact that is not there, or of another organization, are none', async () => {
  const foreign = await callsClient(product, foreignAdmin).answered();
  for (const contactId of ['01JZZZZZZZZZZZZZZZZZZZZZZZ', foreign.contactId]) {
    expect(outcome(await clients.admin.list({ contactId }))).toEqual({
      status: 200,
      body: { success: true, data: [], nextCursor: null },
    });
  }
});

test('Reading a call that is missing, discarded, foreign or out of scope is the same 404', async () => {
  const discarded = await clients.rep.answered();
  await arrange(clients.rep.discard(discarded._id));
  const id = calls.rep[0]?._id ?? '';
  for (const response of [
    await clients.rep.read('01JZZZZZZZZZZZZZZZZZZZZZZZ'),
    await clients.rep.read(discarded._id),
    await clients.rep.read('a.b'),
    await clients.rep.read('x'.repeat(128)),
    await clients.otherRep.read(id),
    await clients.otherHead.read(id),
    await callsClient(product, foreignAdmin).read(id),
    await callsClient(product, superadmin).read(id),
  ]) {
    expect(outcome(response)).toEqual(callFailure(404, 'Call not found'));
  }
});

test('The list of calls has no cursor that spells out the id of a call that it does not show', async () => {
  const phone = newPhoneNumber();
  await contactsClient(product, admin).created({ firstName: 'Busy', phoneNumbers: [{ value: phone }] });
  const made: CallRecord[] = [];
  for (let index = 0; index < 24; index += 1) {
    const by = index % 8 === 0 ? clients.rep : clients.admin;
    made.push(await by.answered(phone, new Date(start + index * 1_000)));
  }
  const own = made.filter(({ userId }) => userId === rep.userId).map(({ _id }) => _id);
  const hidden = made.map(({ _id }) => _id).filter((id) => !own.includes(id));
  const shown: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = { contactId: made[0]?.contactId ?? '', limit: '1', ...(cursor && { cursor }) };
    const body: { data: CallRecord[]; nextCursor: string | null } = expectStatus(
      await clients.rep.list(query),
      200,
    );
    shown.push(...body.data.map(({ _id }) => _id));
    cursor = body.nextCursor;
    const keyText = Buffer.from(cursor ?? '', 'base64url').toString();
    expect(hidden.filter((id) => keyText.includes(id))).toEqual([]);
  }
  expect(shown).toEqual(own.toReversed());
});
