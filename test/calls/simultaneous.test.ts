import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf } from '../contacts/client.ts';
import type { Answer, Person } from '../harness/product.ts';
import { newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { type CallRecord, type CallsClient, callsClient, spellingsOf } from './client.ts';
import { callsIn, contactsIn, conversationsIn, expectConsistent, type Places } from './consistency.ts';
import { likeManyFunctions } from './many-functions.ts';

let world: World;
let closeConnections: () => void;
beforeAll(async () => {
  world = await startWorld();
  closeConnections = likeManyFunctions(world.product);
});
afterAll(async () => {
  closeConnections();
  await world.product.stop();
});

const statusesOf = (answers: readonly Answer[]) =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, of]) => [status, of.length]),
  );

/** An organization of its own, so that everything in its table is of one test. */
async function newOffice(): Promise<{ admin: Person; phone: CallsClient }> {
  const admin = await world.product.newOrganization();
  return { admin, phone: callsClient(world.product, admin) };
}

describe('100 simultaneous inbound calls of one unknown number, in five spellings', () => {
  let admin: Person;
  let answers: Answer[];
  let places: Places;
  beforeAll(async () => {
    admin = await world.product.newOrganization();
    const colleagues = [
      admin,
      ...(await Promise.all([1, 2, 3].map(() => world.product.newColleague(admin)))),
    ];
    const spellings = spellingsOf(newPhoneNumber());
    answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        callsClient(world.product, colleagues[index % 4] ?? admin).answer(spellings[index % 5] ?? ''),
      ),
    );
    places = await expectConsistent(world.product, admin);
  });

  it('get 100 × 201', () => {
    expect(statusesOf(answers)).toEqual({ 201: 100 });
  });

  it('make one contact, one voice conversation and 100 calls', () => {
    const calls = answers.map(({ body }) => body.call as CallRecord);
    expect(contactsIn(places)).toHaveLength(1);
    expect(conversationsIn(places)).toMatchObject([{ channel: 'voice', messageCount: 0 }]);
    expect(new Set(callsIn(places).map(({ _id }) => _id))).toEqual(new Set(calls.map(({ _id }) => _id)));
    expect(new Set(calls.map(({ _id }) => _id)).size).toBe(100);
    expect(new Set(calls.map(({ contactId }) => contactId)).size).toBe(1);
    expect(new Set(calls.map(({ conversationId }) => conversationId)).size).toBe(1);
  });

  it('emit 100 × `call_answered`, and `contact_created` once', async () => {
    const names = (await eventsOf(world.product, admin.organizationId)).map(({ event }) => event);
    expect(names.filter((name) => name === 'call_answered')).toHaveLength(100);
    expect(names.filter((name) => name !== 'call_answered')).toEqual(['contact_created']);
  });
});

describe('40 simultaneous calls to and from one known contact', () => {
  it('do not meet each other: none is tried twice', async () => {
    const { admin, phone } = await newOffice();
    const value = newPhoneNumber();
    const { contactId } = await phone.answered(value);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 ? phone.answer(value) : phone.dial({ contactId }))),
    );
    expect(statusesOf(answers)).toEqual({ 201: 40 });
    // The lock and the aggregate, or the aggregate alone; the numbers of the user; one transaction.
    expect(new Set(answers.map(({ consumed }) => consumed?.requests))).toEqual(new Set([5, 6]));
    expect(callsIn(await expectConsistent(world.product, admin))).toHaveLength(41);
  });
});

describe('all calls of a contact discarded at once', () => {
  it('leave neither a call nor the voice conversation', async () => {
    const { admin, phone } = await newOffice();
    const value = newPhoneNumber();
    const calls = [];
    for (let count = 0; count < 12; count += 1) {
      calls.push(await phone.answered(value));
    }
    const answers = await Promise.all(calls.map(({ _id }) => phone.discard(_id)));
    expect(statusesOf(answers)).toEqual({ 200: 12 });
    const places = await expectConsistent(world.product, admin);
    expect([callsIn(places), conversationsIn(places)]).toEqual([[], []]);
    expect(contactsIn(places)).toHaveLength(1);
  });

  it('with their placeholder contact leave nothing, and tell once that it is gone', async () => {
    const { admin, phone } = await newOffice();
    const value = newPhoneNumber();
    const calls = [];
    for (let count = 0; count < 12; count += 1) {
      calls.push(await phone.answered(value));
    }
    const answers = await Promise.all(
      calls.map(({ _id, contactId }) => phone.discard(_id, { contactId, deleteContact: true })),
    );
    expect(statusesOf(answers)).toEqual({ 200: 12 });
    const places = await expectConsistent(world.product, admin);
    expect([callsIn(places), conversationsIn(places), contactsIn(places)]).toEqual([[], [], []]);
    const names = (await eventsOf(world.product, admin.organizationId)).map(({ event }) => event);
    expect(names.filter((name) => name === 'contact_removed')).toHaveLength(1);
    expect((await phone.answered(value)).contactId).not.toBe(calls[0]?.contactId);
  });
});

describe('a call discarded twenty times at once', () => {
  it('gets 20 × 200, and takes its contact along once', async () => {
    const { admin, phone } = await newOffice();
    const { _id, contactId } = await phone.answered();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => phone.discard(_id, { contactId, deleteContact: true })),
    );
    expect(statusesOf(answers)).toEqual({ 200: 20 });
    const names = (await eventsOf(world.product, admin.organizationId)).map(({ event }) => event);
    expect(names.filter((name) => name === 'contact_removed')).toHaveLength(1);
    expect(contactsIn(await expectConsistent(world.product, admin))).toEqual([]);
  });
});

describe('a call ended and discarded at once', () => {
  it('is discarded, whichever came first', async () => {
    const { admin, phone } = await newOffice();
    for (let round = 0; round < 20; round += 1) {
      const { _id } = await phone.answered();
      const [ended, discarded] = await Promise.all([phone.end(_id), phone.discard(_id)]);
      expect([200, 404]).toContain(ended.status);
      expect(discarded.status).toBe(200);
      expect((await phone.read(_id)).status).toBe(404);
    }
    expect(callsIn(await expectConsistent(world.product, admin))).toEqual([]);
  });
});
