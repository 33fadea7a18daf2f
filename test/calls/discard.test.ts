import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../harness/world.ts';
import { left, withContact } from './about.ts';
import { type CallsClient, callsClient } from './client.ts';
import { placesOf, stopWhole } from './consistency.ts';
import { receiveMessage } from './messages.ts';

let world: World;
let calls: CallsClient;
beforeAll(async () => {
  world = await startWorld();
  calls = callsClient(world.product, world.rep);
});
afterAll(() => stopWhole(world));

const missing = { status: 404, body: { success: false, error: 'Call not found' } };

describe('discarding a call', () => {
  it('answers 200 `{success: true, message: string}`; the call is deleted', async () => {
    const call = await calls.answered();
    const { status, body } = await calls.discard(call._id, {
      contactId: call.contactId,
      deleteContact: false,
    });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['success', 'message']);
    expect(body).toEqual({ success: true, message: expect.any(String) });
    expect((await calls.read(call._id)).status).toBe(404);
    expect(await calls.ids()).not.toContain(call._id);
    expect(await calls.ids({ contactId: call.contactId })).toEqual([]);
  });

  it('that never existed is a 404 `{success: false, error: string}`', async () => {
    for (const id of ['01JZZZZZZZZZZZZZZZZZZZZZZZ', 'x', 'a.b']) {
      const { status, body } = await calls.discard(id);
      expect({ status, body }).toEqual(missing);
    }
  });

  it('already discarded is a no-op, safe: 200 as before, and changes nothing', async () => {
    const call = await calls.answered();
    await calls.discard(call._id);
    const before = await placesOf(world.product, world.admin.organizationId);
    for (const body of [{}, withContact(call)]) {
      const answer = await calls.discard(call._id, body);
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.body)).toEqual(['success', 'message']);
    }
    expect(await placesOf(world.product, world.admin.organizationId)).toEqual(before);
  });

  it('is for its own user, and for a role whose scope sees it, also when it is discarded already', async () => {
    for (const who of ['rep', 'head', 'admin'] as const) {
      const call = await calls.answered();
      const own = callsClient(world.product, world[who]);
      for (const isFirst of [true, false]) {
        for (const other of ['stranger', 'otherHead', 'foreigner', 'foreignRep', 'superadmin'] as const) {
          const { status, body } = await callsClient(world.product, world[other]).discard(
            call._id,
            withContact(call),
          );
          expect({ status, body }).toEqual(missing);
        }
        expect(await left(world, call)).toMatchObject({ call: isFirst });
        expect((await own.discard(call._id, withContact(call))).status).toBe(200);
      }
      // Its contact is gone, and yet the same people are told that it was discarded.
      expect((await calls.discard(call._id)).status).toBe(200);
      expect(await left(world, call)).toEqual({ call: false, conversation: false, contact: false });
    }
  });

  it('keeps nothing of it but that it was there: no number, no contact', async () => {
    const call = await calls.answered();
    await calls.discard(call._id, withContact(call));
    const places = await placesOf(world.product, world.admin.organizationId);
    expect(places.get(`CALL#${call._id} CALL`)).toEqual({
      _id: call._id,
      discardedAt: expect.any(String),
      people: [world.rep.userId],
    });
  });

  it('takes wrong types for a 400 that names the field, and changes nothing', async () => {
    const call = await calls.answered();
    for (const [body, field] of [
      [{ contactId: 7, deleteContact: true }, 'contactId'],
      [{ contactId: call.contactId, deleteContact: 'true' }, 'deleteContact'],
      [{ contactId: call.contactId, deleteContact: 1 }, 'deleteContact'],
    ] as const) {
      const answer = await calls.discard(call._id, body);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({ success: false, error: expect.stringMatching(new RegExp(`^${field}`)) });
    }
    expect(await left(world, call)).toEqual({ call: true, conversation: true, contact: true });
  });
});

describe('the voice conversation of a discarded call', () => {
  it('is deleted if it has no messages; the contact stays', async () => {
    const call = await calls.answered();
    await calls.discard(call._id);
    expect(await left(world, call)).toEqual({ call: false, conversation: false, contact: true });
    const again = await calls.answered(call.from ?? '');
    expect(again.contactId).toBe(call.contactId);
    expect(again.conversationId).not.toBe(call.conversationId);
  });

  it('stays with a message in it', async () => {
    const call = await calls.answered();
    await receiveMessage(world.product, world.rep, call.from ?? '', 'voice');
    await calls.discard(call._id, withContact(call));
    expect(await left(world, call)).toEqual({ call: false, conversation: true, contact: true });
  });

  it('stays with another call, until that is discarded too', async () => {
    const first = await calls.answered();
    const second = await calls.dialed({ phoneNumber: first.from });
    await calls.discard(first._id);
    expect(await left(world, first)).toEqual({ call: false, conversation: true, contact: true });
    await calls.discard(second._id);
    expect(await left(world, second)).toEqual({ call: false, conversation: false, contact: true });
  });
});
