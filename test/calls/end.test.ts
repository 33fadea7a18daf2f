import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finalStatuses } from '../../shared/calls/call.ts';
import { deskOf, eventsOf } from '../contacts/desk.ts';
import { startWorld, type World } from '../harness/world.ts';
import { type CallRecord, type Phone, phoneOf } from './phone.ts';
import { stopWhole } from './whole.ts';

let world: World;
let phone: Phone;
beforeAll(async () => {
  world = await startWorld();
  phone = phoneOf(world.product, world.rep);
});
afterAll(() => stopWhole(world));

const missing = { status: 404, body: { success: false, error: 'Call not found' } };
const later = (call: CallRecord, ms: number) => new Date(Date.parse(call.startTime) + ms);

describe('ending a call', () => {
  it('answers `{success, message, data}` with the call completed', async () => {
    const call = await phone.answered();
    const end = later(call, 61_000);
    const { status, body } = await phone.end(call._id, {}, end);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['success', 'message', 'data']);
    expect(body.data).toEqual({
      ...call,
      status: 'completed',
      endTime: end.toISOString(),
      duration: 61,
      updatedAt: end.toISOString(),
    });
    expect((await phone.read(call._id)).body.data).toEqual(body.data);
    expect((await phone.list()).body.data[0]).toEqual(body.data);
    expect((await phone.list({ contactId: call.contactId })).body.data).toEqual([body.data]);
  });

  it.each([
    [0, 0],
    [999, 0],
    [1_000, 1],
    [59_999, 59],
    [3_500_999, 3_500],
    [-50, 0],
  ])('after %i ms lasts "end minus start in seconds", whole ones: %i', async (ms, seconds) => {
    const call = await phone.answered();
    const { data } = (await phone.end(call._id, {}, later(call, ms))).body;
    expect(data.duration).toBe(seconds);
    expect(data.endTime).toBe(later(call, Math.max(0, ms)).toISOString());
  });

  it.each(finalStatuses)('an initiated or answered call can end as %s', async (status) => {
    for (const call of [await phone.answered(), await phone.dialed({ phoneNumber: '+99912345678' })]) {
      const { body } = await phone.end(call._id, { status });
      expect(body.data).toMatchObject({ status, answerTime: call.answerTime, startTime: call.startTime });
    }
  });

  it.each(['initiated', 'ringing', 'answered', 'Completed', '', null, 7, ['completed']])(
    'is a 400 with the status %j, which ends nothing',
    async (status) => {
      const call = await phone.answered();
      const { status: code, body } = await phone.end(call._id, { status });
      expect(code).toBe(400);
      expect(body).toEqual({ success: false, error: expect.stringMatching(/^status/) });
      expect((await phone.read(call._id)).body.data).toEqual(call);
    },
  );

  it('again with the same status changes nothing; with another one is a 409', async () => {
    const call = await phone.answered();
    const first = (await phone.end(call._id, { status: 'voicemail' })).body.data;
    const again = await phone.end(call._id, { status: 'voicemail' }, later(call, 90_000));
    expect({ status: again.status, data: again.body.data }).toEqual({ status: 200, data: first });
    const back = await phone.end(call._id, { status: 'completed' });
    expect({ status: back.status, body: back.body }).toEqual({
      status: 409,
      body: { success: false, error: 'The call has already ended, with the status voicemail.' },
    });
    expect((await phone.read(call._id)).body.data).toEqual(first);
  });

  it('by twenty at once, each in its own way, ends it once', async () => {
    const call = await phone.answered();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        phone.end(call._id, { status: finalStatuses[index % finalStatuses.length] }),
      ),
    );
    const [ended] = answers.filter(({ status }) => status === 200);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const record = (await phone.read(call._id)).body.data;
    expect(record).toEqual(ended?.body.data);
    expect(answers.filter(({ status }) => status === 200).map(({ body }) => body.data)).toEqual(
      answers.filter(({ status }) => status === 200).map(() => record),
    );
  });

  it('emits no event', async () => {
    const call = await phone.answered();
    const before = (await eventsOf(world.product, world.admin.organizationId)).length;
    await phone.end(call._id);
    expect(await eventsOf(world.product, world.admin.organizationId)).toHaveLength(before);
  });

  it('that is missing, discarded, foreign or out of scope is the same 404', async () => {
    const [own, discarded] = [await phone.answered(), await phone.answered()];
    await phone.discard(discarded._id);
    for (const answer of [
      await phone.end('01JZZZZZZZZZZZZZZZZZZZZZZZ'),
      await phone.end(discarded._id),
      await phone.end('not an id!'),
      await phoneOf(world.product, world.stranger).end(own._id),
      await phoneOf(world.product, world.otherHead).end(own._id),
      await phoneOf(world.product, world.foreigner).end(own._id),
    ]) {
      expect({ status: answer.status, body: answer.body }).toEqual(missing);
    }
    expect((await phone.read(own._id)).body.data).toEqual(own);
  });

  it('works when the contact was deleted meanwhile: calls outlive their contacts', async () => {
    const call = await phone.answered();
    expect((await deskOf(world.product, world.rep).remove(call.contactId)).status).toBe(200);
    // What the sweep does to all that the contact owned.
    const { table } = world.product.tableOf(world.admin.organizationId);
    const { partition, sort } = { partition: ['CONTACT', call.contactId], sort: ['VOICECALL', call._id] };
    await table.commit([table.delete({ partition, sort })]);
    expect((await phone.end(call._id)).body.data).toMatchObject({ status: 'completed' });
    expect((await phone.read(call._id)).body.data).toMatchObject({ contactId: call.contactId });
    expect(await phone.ids()).toContain(call._id);
    expect(await phone.ids({ contactId: call.contactId })).toEqual([]);
    expect(await phoneOf(world.product, world.admin).ids()).toContain(call._id);
  });
});
