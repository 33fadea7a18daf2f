import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { faultyTable } from '../contacts/faulty-table.ts';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { type CallRecord, type CallsClient, callsClient } from './client.ts';

let world: World;
/** Of each person of the organization. */
const phones = {} as Record<'admin' | 'head' | 'rep' | 'stranger' | 'otherHead', CallsClient>;
const people = ['admin', 'head', 'rep', 'stranger', 'otherHead'] as const;
/** Calls of each, oldest first; every third one ended as no-answer, another third as completed. */
const calls = {} as Record<(typeof people)[number], CallRecord[]>;
const start = Date.now() - 3_000_000;

beforeAll(async () => {
  world = await startWorld();
  let minute = 0;
  for (const who of people) {
    phones[who] = callsClient(world.product, world[who]);
    calls[who] = [];
  }
  for (let round = 0; round < 6; round += 1) {
    for (const who of people) {
      minute += 1;
      const call = await phones[who].answered(newPhoneNumber(), new Date(start + minute * 60_000));
      const status = [undefined, 'no-answer', 'completed'][round % 3];
      if (status !== undefined) {
        await phones[who].end(call._id, { status });
      }
      calls[who].push((await phones[who].read(call._id)).body.data);
    }
  }
});
afterAll(() => world.product.stop());

const newestFirst = (list: CallRecord[]) =>
  [...list].sort((a, b) => (a._id < b._id ? 1 : -1)).map(({ _id }) => _id);

describe('the list of calls', () => {
  it('answers `{success, data, nextCursor}` with whole calls, newest first', async () => {
    const { status, body } = await phones.rep.list();
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['success', 'data', 'nextCursor']);
    expect(body).toEqual({ success: true, data: [...calls.rep].reverse(), nextCursor: null });
  });

  it('is read so that a call recorded or ended a moment ago is among them as it is', async () => {
    const { _id, contactId } = await phones.admin.answered();
    const { data } = (await phones.admin.end(_id)).body;
    const reads = faultyTable();
    onTestFinished(reads.restore);
    for (const query of [{}, { contactId }, { userId: world.admin.userId }]) {
      reads.clear();
      expect((await phones.admin.list(query)).body.data[0]).toEqual(data);
      expect(reads.tries('QueryCommand')).toMatchObject([{ ConsistentRead: true }]);
    }
    await phones.admin.discard(_id);
  });

  it('shows a SALES_REP their own calls, a DEPARTMENT_HEAD those of the team, an ADMIN all', async () => {
    const all = people.flatMap((who) => calls[who]);
    expect(await phones.rep.ids()).toEqual(newestFirst(calls.rep));
    expect(await phones.stranger.ids()).toEqual(newestFirst(calls.stranger));
    expect(await phones.head.ids()).toEqual(newestFirst([...calls.head, ...calls.rep]));
    expect(await phones.otherHead.ids()).toEqual(newestFirst(calls.otherHead));
    expect(await phones.admin.ids()).toEqual(newestFirst(all));
    const headers = { 'x-organization-id': world.admin.organizationId };
    expect(await callsClient(world.product, world.superadmin, headers).ids()).toEqual(newestFirst(all));
  });

  it('of another organization shows nothing of this one', async () => {
    for (const who of ['foreigner', 'foreignHead', 'foreignRep', 'superadmin'] as const) {
      const foreign = callsClient(world.product, world[who]);
      expect(await foreign.ids()).toEqual([]);
      expect(await foreign.ids({ contactId: calls.rep[0]?.contactId ?? '' })).toEqual([]);
      expect(await foreign.ids({ userId: world.rep.userId })).toEqual([]);
    }
  });

  it.each([1, 2, 7, 30, 100])(
    'comes whole in pages of %i, and a page says where the next starts',
    async (limit) => {
      for (const who of ['admin', 'head'] as const) {
        const whole = await phones[who].ids();
        expect(await phones[who].ids({ limit: String(limit) })).toEqual(whole);
        const page = expectStatus(await phones[who].list({ limit: String(limit) }), 200);
        expect(page.data).toHaveLength(Math.min(limit, whole.length));
        expect(page.nextCursor === null).toBe(limit >= whole.length);
      }
    },
  );

  it('has 25 a page unless told otherwise', async () => {
    expect((await phones.admin.list()).body.data).toHaveLength(25);
  });

  it('by user shows a user in scope, and nothing of any other', async () => {
    const { userId } = world.rep;
    for (const who of ['rep', 'head', 'admin'] as const) {
      expect(await phones[who].ids({ userId })).toEqual(newestFirst(calls.rep));
    }
    for (const who of ['stranger', 'otherHead'] as const) {
      expect(await phones[who].ids({ userId })).toEqual([]);
    }
    expect(await phones.rep.ids({ userId: world.head.userId })).toEqual([]);
  });

  it('by status fills its pages, whatever lies between', async () => {
    for (const status of ['answered', 'no-answer', 'completed']) {
      const wanted = people.flatMap((who) => calls[who]).filter((call) => call.status === status);
      expect(await phones.admin.ids({ status })).toEqual(newestFirst(wanted));
      const { data, nextCursor } = (await phones.admin.list({ status, limit: '9' })).body;
      expect(data).toHaveLength(9);
      expect(nextCursor).not.toBeNull();
      expect(await phones.admin.ids({ status, limit: '2' })).toEqual(newestFirst(wanted));
    }
    expect(await phones.admin.ids({ status: 'busy' })).toEqual([]);
    expect(await phones.head.ids({ status: 'completed', userId: world.rep.userId })).toEqual(
      newestFirst(calls.rep.filter(({ status }) => status === 'completed')),
    );
  });

  it.each([
    [{ limit: '0' }, 'limit'],
    [{ limit: '101' }, 'limit'],
    [{ limit: 'many' }, 'limit'],
    [{ status: 'ended' }, 'status'],
    [{ cursor: 'nonsense!' }, 'cursor'],
    [{ contactId: 'a#b' }, 'contactId'],
    [{ userId: '' }, 'userId'],
  ])('refuses %j and names the field', async (query, field) => {
    const { status, body } = await phones.rep.list(query as Record<string, string>);
    expect(status).toBe(400);
    expect(body).toEqual({ success: false, error: expect.stringMatching(new RegExp(`^${field}`)) });
  });
});

describe('the calls of one contact', () => {
  it('are all listed for those who can see the contact; anyone else sees only their own', async () => {
    const value = newPhoneNumber();
    const { _id: contactId } = await world.newContact({ phoneNumbers: [{ value }] });
    const own = await phones.rep.answered(value);
    const another = await phones.stranger.dialed({ phoneNumber: value });
    const both = newestFirst([own, another]);
    for (const who of ['rep', 'head', 'admin'] as const) {
      expect(await phones[who].ids({ contactId })).toEqual(both);
      expect(await phones[who].ids({ contactId, limit: '1' })).toEqual(both);
      expect(await phones[who].ids({ contactId, status: 'initiated' })).toEqual([another._id]);
      expect(await phones[who].ids({ contactId, userId: world.rep.userId })).toEqual([own._id]);
      expect((await phones[who].read(another._id)).status).toBe(200);
    }
    expect(await phones.stranger.ids({ contactId })).toEqual([another._id]);
    expect((await phones.stranger.read(own._id)).status).toBe(404);
    expect(await phones.otherHead.ids({ contactId })).toEqual([]);
    expect((await phones.otherHead.read(another._id)).status).toBe(404);
    expect(await phones.rep.ids()).not.toContain(another._id);
    // Whoever is given the contact sees its calls, too.
    await contactsClient(world.product, world.admin).update(contactId, {
      assignees: [world.otherHead.userId],
    });
    expect(await phones.otherHead.ids({ contactId })).toEqual(both);
    expect((await phones.otherHead.read(own._id)).status).toBe(200);
  });

  it('that is not there, or of another organization, are none', async () => {
    const foreign = await callsClient(world.product, world.foreigner).answered();
    for (const contactId of ['01JZZZZZZZZZZZZZZZZZZZZZZZ', foreign.contactId]) {
      const { status, body } = await phones.admin.list({ contactId });
      expect({ status, body }).toEqual({ status: 200, body: { success: true, data: [], nextCursor: null } });
    }
  });
});

describe('reading a call', () => {
  it('answers `{success, data}`', async () => {
    const { status, body } = await phones.head.read(calls.rep[0]?._id ?? '');
    expect({ status, body }).toEqual({ status: 200, body: { success: true, data: calls.rep[0] } });
  });

  it('that is missing, discarded, foreign or out of scope is the same 404', async () => {
    const discarded = await phones.rep.answered();
    await phones.rep.discard(discarded._id);
    const id = calls.rep[0]?._id ?? '';
    for (const answer of [
      await phones.rep.read('01JZZZZZZZZZZZZZZZZZZZZZZZ'),
      await phones.rep.read(discarded._id),
      await phones.rep.read('a.b'),
      await phones.rep.read('x'.repeat(128)),
      await phones.stranger.read(id),
      await phones.otherHead.read(id),
      await callsClient(world.product, world.foreigner).read(id),
      await callsClient(world.product, world.superadmin).read(id),
    ]) {
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 404,
        body: { success: false, error: 'Call not found' },
      });
    }
  });
});
