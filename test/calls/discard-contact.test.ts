import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contactCallKey } from '../../shared/calls/call.ts';
import { touchContact } from '../../shared/contact-aggregate/touch-contact.ts';
import { childId, contactKey } from '../../shared/contacts/contact.ts';
import { type Desk, deskOf } from '../contacts/desk.ts';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { eventsAbout, left, withContact } from './about.ts';
import { receiveMessage } from './messages.ts';
import { type CallRecord, type Phone, phoneOf } from './phone.ts';
import { stopWhole } from './whole.ts';

let world: World;
let phone: Phone;
let desk: Desk;
beforeAll(async () => {
  world = await startWorld();
  phone = phoneOf(world.product, world.rep);
  desk = deskOf(world.product, world.rep);
});
afterAll(() => stopWhole(world));

const eventNames = async (contactId: string) =>
  (await eventsAbout(world, contactId)).map(({ event }) => event);

describe('deleteContact', () => {
  it.each([
    ['inbound', async () => phone.answered()],
    ['outbound', async () => phone.dialed({ phoneNumber: newPhoneNumber() })],
  ])(
    'deletes the newly created placeholder of an %s call; `contact_removed` is emitted',
    async (_, begin) => {
      const call = await begin();
      const number = call.from ?? call.to ?? '';
      const contact = (await desk.read(call.contactId)).body.data;
      expect((await phone.discard(call._id, withContact(call))).status).toBe(200);
      expect(await left(world, call)).toEqual({ call: false, conversation: false, contact: false });
      expect((await desk.read(call.contactId)).status).toBe(404);
      expect((await desk.board({ search: number })).New?.total).toBe(0);
      const removed = (await eventsAbout(world, call.contactId)).find(
        ({ event }) => event === 'contact_removed',
      );
      expect(removed).toMatchObject({
        data: { contactId: call.contactId, stageId: contact.stageId, pipelineId: contact.pipelineId },
        audience: { kind: 'record', people: [world.rep.userId] },
      });
      // Its phone lock goes with it: the number is usable afterwards.
      await desk.created({ firstName: 'Next', phoneNumbers: [{ value: number }] });
    },
  );

  it('deletes it too when an earlier call was discarded without it', async () => {
    const first = await phone.answered();
    await phone.discard(first._id);
    const second = await phone.answered(first.from ?? '');
    await phone.discard(second._id, withContact(second));
    expect(await left(world, second)).toEqual({ call: false, conversation: false, contact: false });
  });

  it.each<[string, (call: CallRecord) => Record<string, unknown>]>([
    ['without contactId', () => ({ deleteContact: true })],
    ['with the id of no contact', () => ({ contactId: '01JZZZZZZZZZZZZZZZZZZZZZZZ', deleteContact: true })],
    ['with what is no id', () => ({ contactId: '', deleteContact: true })],
    ['false', ({ contactId }) => ({ contactId, deleteContact: false })],
    ['absent', ({ contactId }) => ({ contactId })],
  ])('%s leaves the contact; still 200, no event', async (_, bodyFor) => {
    const call = await phone.answered();
    const before = await eventNames(call.contactId);
    expect((await phone.discard(call._id, bodyFor(call))).status).toBe(200);
    expect(await left(world, call)).toEqual({ call: false, conversation: false, contact: true });
    expect(await eventNames(call.contactId)).toEqual(before);
  });

  it('with another placeholder’s id touches neither', async () => {
    const [call, other] = [await phone.answered(), await phone.answered()];
    expect((await phone.discard(call._id, withContact(other))).status).toBe(200);
    expect(await left(world, call)).toMatchObject({ call: false, contact: true });
    expect(await left(world, other)).toEqual({ call: true, conversation: true, contact: true });
    expect(await eventNames(other.contactId)).not.toContain('contact_removed');
  });

  it('leaves a contact that was there before the call', async () => {
    const { _id: contactId } = await world.newContact();
    const call = await phone.dialed({ contactId });
    await phone.discard(call._id, withContact(call));
    expect(await left(world, call)).toEqual({ call: false, conversation: false, contact: true });
  });

  it.each<[string, Record<string, unknown>]>([
    ['a first name', { firstName: 'Ada' }],
    ['a last name', { lastName: 'Lovelace' }],
    ['a source', { source: 'Referral' }],
    ['no source', { source: null }],
    ['the source of the other kind of call', { source: 'Outgoing Call' }],
    ['an e-mail address', { email: 'ada@example.com' }],
    ['custom fields', { customFields: { city: 'London' } }],
    ['tags', { tags: ['vip'] }],
  ])('leaves a contact that somebody has given %s', async (_, edit) => {
    const call = await phone.answered();
    expectStatus(await desk.update(call.contactId, edit), 200);
    const before = await eventNames(call.contactId);
    expect((await phone.discard(call._id, withContact(call))).status).toBe(200);
    expect(await left(world, call)).toEqual({ call: false, conversation: false, contact: true });
    expect(await eventNames(call.contactId)).toEqual(before);
  });

  it('leaves a contact that somebody has given a second number, which stays locked', async () => {
    const call = await phone.answered();
    const numbers = [call.from ?? '', newPhoneNumber()];
    await desk.update(call.contactId, { phoneNumbers: numbers.map((value) => ({ value })) });
    await phone.discard(call._id, withContact(call));
    expect(await left(world, call)).toMatchObject({ contact: true });
    expect((await desk.create({ phoneNumbers: [{ value: numbers[1] }] })).status).toBe(409);
  });

  it('deletes a placeholder that was only moved or given to a colleague', async () => {
    const call = await phone.answered();
    await desk.move(call.contactId, { stage: 'Contacted' });
    await desk.update(call.contactId, { assignees: [world.stranger.userId] });
    await phone.discard(call._id, withContact(call));
    expect(await left(world, call)).toEqual({ call: false, conversation: false, contact: false });
  });

  it('leaves a contact with another call', async () => {
    const call = await phone.answered();
    const other = await phone.answered(call.from ?? '');
    await phone.discard(call._id, withContact(call));
    expect(await left(world, call)).toEqual({ call: false, conversation: true, contact: true });
    expect((await phone.read(other._id)).status).toBe(200);
    // The last call takes it along.
    await phone.discard(other._id, withContact(other));
    expect(await left(world, other)).toEqual({ call: false, conversation: false, contact: false });
  });

  it.each(['sms', 'email', 'voice'] as const)('leaves a contact who has written: %s', async (channel) => {
    const call = await phone.answered();
    await receiveMessage(world.product, world.rep, call.from ?? '', channel);
    await phone.discard(call._id, withContact(call));
    expect(await left(world, call)).toEqual({
      call: false,
      conversation: channel === 'voice',
      contact: true,
    });
    expect(await eventNames(call.contactId)).not.toContain('contact_removed');
  });

  it.each(['AAA', 'NOTE', 'REMINDER', 'SNAPSHOT', 'ZZZ'])(
    'leaves a contact with anything else attached to it, whatever it is: %s',
    async (kind) => {
      const { table, moment } = world.product.tableOf(world.admin.organizationId);
      const call = await phone.answered();
      const { partition } = contactKey(call.contactId);
      const key = { partition, sort: [kind, childId(call.contactId, moment.newId())] };
      await table.commit([touchContact(table, call.contactId), table.add(key, { kind })]);
      await phone.discard(call._id, withContact(call));
      expect(await left(world, call)).toEqual({ call: false, conversation: false, contact: true });
      expect(await eventNames(call.contactId)).not.toContain('contact_removed');
    },
  );

  it('of a contact deleted before discards the call alone', async () => {
    const call = await phone.answered();
    expectStatus(await desk.remove(call.contactId), 200);
    const { table } = world.product.tableOf(world.admin.organizationId);
    await table.commit([table.delete(contactCallKey(call.contactId, call._id))]);
    const before = await eventNames(call.contactId);
    expect((await phone.discard(call._id, withContact(call))).status).toBe(200);
    expect(await eventNames(call.contactId)).toEqual(before);
    expect((await phone.read(call._id)).status).toBe(404);
  });
});

describe('a SALES_REP who called somebody else’s contact', () => {
  it('may discard the call, not the contact', async () => {
    const value = newPhoneNumber();
    const { _id } = await deskOf(world.product, world.admin).created({
      firstName: 'New Contact',
      source: 'Outgoing Call',
      phoneNumbers: [{ value }],
    });
    const call = await phone.answered(value);
    expect(call.contactId).toBe(_id);
    await phone.discard(call._id, withContact(call));
    expect(await left(world, call)).toEqual({ call: false, conversation: false, contact: true });
  });
});
