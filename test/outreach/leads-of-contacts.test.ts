import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Phone, phoneOf } from '../calls/phone.ts';
import { type Desk, deskOf, eventsOf } from '../contacts/desk.ts';
import { expectStatus, newPhoneNumber, startWorld, type World } from '../harness/world.ts';
import { newLine } from '../messages/phones.ts';
import { type Configuration, type LeadSource, leadSource, newLead } from './lead-source.ts';

let world: World;
let source: LeadSource;
let desk: Desk;
let phone: Phone;
let configuration: Configuration;
beforeAll(async () => {
  world = await startWorld();
  source = leadSource(world.product, world.admin);
  desk = deskOf(world.product, world.admin);
  phone = phoneOf(world.product, world.rep);
  configuration = await source.configure({ source: 'Facebook', ownerId: world.rep.userId });
});
afterAll(() => world.product.stop());

describe('A lead of a number that a contact has', () => {
  it('means that contact, in any spelling, and answers the same ids', async () => {
    const first = await source.sent(configuration._id, { phoneNumber: '+44 20 7946 0958' });
    for (const phoneNumber of [
      '+442079460958',
      '0044 20 7946 0958',
      '+44 (20) 7946-0958',
      '+44.20.7946.0958',
    ]) {
      const { status, body } = await source.send(configuration._id, { phoneNumber });
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          success: true,
          message: 'Lead received: a contact already has this number',
          data: first,
        },
      });
    }
  });

  it('changes nothing when it says nothing new: no updatedAt, no event', async () => {
    const lead = { ...newLead(), email: 'ada@example.com', city: 'London' };
    const { contactId } = await source.sent(configuration._id, lead);
    const before = await source.contact(contactId);
    const events = (await eventsOf(world.product, world.admin.organizationId)).length;
    await source.sent(configuration._id, lead, { at: new Date(Date.now() + 1_000) });
    await source.sent(configuration._id, { ...lead, firstName: 'Grace', email: 'grace@example.com' });
    expect(await source.contact(contactId)).toEqual(before);
    expect((await eventsOf(world.product, world.admin.organizationId)).length).toBe(events);
  });

  it('fills what is empty, keeps what is not, and tells it as contact_updated', async () => {
    const phoneNumber = newPhoneNumber();
    const { _id } = await desk.created({
      firstName: 'Ada',
      phoneNumbers: [{ value: newPhoneNumber() }, { value: phoneNumber, label: 'mobile' }],
      owner: null,
      stage: 'Won',
      tags: ['vip'],
    });
    const before = await source.contact(_id);
    const lead = { phoneNumber, firstName: 'Augusta', lastName: 'King', email: 'ada@example.com' };
    const { contactId, conversationId } = await source.sent(configuration._id, lead);
    expect(contactId).toBe(_id);
    const after = await source.contact(_id);
    expect(after).toEqual({
      ...before,
      lastName: 'King',
      fullName: 'Ada King',
      email: 'ada@example.com',
      source: 'Facebook',
      owner: world.rep.userId,
      updatedAt: after.updatedAt,
    });
    expect(await source.conversations(_id)).toMatchObject([{ _id: conversationId, channel: 'sms' }]);
    const events = await eventsOf(world.product, world.admin.organizationId);
    expect(events.filter(({ data }) => data.contactId === _id).map(({ event }) => event)).toContain(
      'contact_updated',
    );
  });

  it('keeps the owner, the source and the stage that the contact has', async () => {
    const phoneNumber = newPhoneNumber();
    const { _id } = await desk.created({
      firstName: 'Ada',
      phoneNumbers: [{ value: phoneNumber }],
      source: 'Referral',
      owner: world.stranger.userId,
      stage: 'Lost',
    });
    await source.sent(configuration._id, { phoneNumber });
    expect(await source.contact(_id)).toMatchObject({
      source: 'Referral',
      owner: world.stranger.userId,
      stage: 'Lost',
    });
  });

  it('gives a name to whom a call or a message had none for', async () => {
    const callers = newPhoneNumber();
    const call = await phone.answered(callers);
    const { contactId, conversationId } = await source.sent(configuration._id, { phoneNumber: callers });
    expect(contactId).toBe(call.contactId);
    expect(conversationId).not.toBe(call.conversationId);
    expect(await source.contact(contactId)).toMatchObject({
      fullName: 'Ada Lovelace',
      source: 'Incoming Call',
    });

    const senders = newPhoneNumber();
    const line = await newLine(world.product, world.admin, world.rep);
    const message = expectStatus(await line.text({ From: senders }), 200).data;
    const ids = await source.sent(configuration._id, { phoneNumber: senders });
    expect(ids).toMatchObject({ contactId: message.contactId, conversationId: message.conversationId });
    expect(await source.contact(ids.contactId)).toMatchObject({ fullName: 'Ada Lovelace' });
  });

  it.each<[string, Record<string, unknown>]>([
    ['tags', { tags: ['vip'] }],
    ['an e-mail address', { email: 'ada@example.com' }],
    ['custom data', { customFields: { city: 'London' } }],
  ])('gives a name to a caller of whom nothing but %s is known', async (_, known) => {
    const phoneNumber = newPhoneNumber();
    const call = await phone.answered(phoneNumber);
    expectStatus(await desk.update(call.contactId, known), 200);
    await source.sent(configuration._id, { phoneNumber });
    expect(await source.contact(call.contactId)).toMatchObject({ fullName: 'Ada Lovelace', ...known });
  });

  it('keeps a name that somebody gave to a caller', async () => {
    const phoneNumber = newPhoneNumber();
    const call = await phone.answered(phoneNumber);
    expectStatus(await desk.update(call.contactId, { firstName: 'Augusta', lastName: 'King' }), 200);
    await source.sent(configuration._id, { phoneNumber });
    expect(await source.contact(call.contactId)).toMatchObject({ fullName: 'Augusta King' });
  });

  it('fills a source that is an empty text', async () => {
    const phoneNumber = newPhoneNumber();
    const { _id } = await desk.created({
      firstName: 'Ada',
      source: '',
      phoneNumbers: [{ value: phoneNumber }],
    });
    await source.sent(configuration._id, { phoneNumber });
    expect(await source.contact(_id)).toMatchObject({ source: 'Facebook' });
  });

  it('merges custom data: the newest value wins, and what it does not name stays', async () => {
    const lead = newLead();
    const { contactId } = await source.sent(configuration._id, {
      ...lead,
      customData: { city: 'London', score: 1, nested: { a: 1, b: 2 } },
    });
    await source.sent(configuration._id, { ...lead, score: 2, customData: { nested: { a: 3 }, plan: null } });
    expect((await source.contact(contactId)).customFields).toEqual({
      city: 'London',
      score: 2,
      nested: { a: 3 },
      plan: null,
    });
  });

  it('is not lost when the contact has no room for all of its custom data: what fits is kept', async () => {
    const phoneNumber = newPhoneNumber();
    const customFields = Object.fromEntries(Array.from({ length: 48 }, (_, index) => [`own ${index}`, 1]));
    const { _id } = await desk.created({
      firstName: 'Full',
      phoneNumbers: [{ value: phoneNumber }],
      customFields,
    });
    const { status, body } = await source.send(configuration._id, {
      phoneNumber,
      'own 0': 2,
      first: 1,
      second: 2,
      third: 3,
      fourth: 4,
    });
    expect(status).toBe(200);
    expect(body.message).toBe(
      'Lead received: a contact already has this number, and has no room for 2 of the custom fields',
    );
    expect((await source.contact(_id)).customFields).toEqual({
      ...customFields,
      'own 0': 2,
      first: 1,
      second: 2,
    });
  });

  it('is not lost when the contact is full to the byte: what would be too large stays as it was', async () => {
    const lead = newLead();
    const half = 'x'.repeat(8 * 1024 - 8);
    const full = { a: half, b: half };
    expect(Buffer.byteLength(JSON.stringify(full))).toBe(16 * 1024 - 1);
    const { contactId } = await source.sent(configuration._id, { ...lead, ...full });
    const { body } = await source.send(configuration._id, { ...lead, a: `${half}xx`, more: 1 });
    expect(body.message).toMatch(/, and has no room for 2 of the custom fields$/);
    expect((await source.contact(contactId)).customFields).toEqual(full);
    await source.sent(configuration._id, { ...lead, b: `${half}x` });
    expect((await source.contact(contactId)).customFields).toEqual({ a: half, b: `${half}x` });
    await source.sent(configuration._id, { ...lead, a: 'short', more: 1 });
    expect((await source.contact(contactId)).customFields).toEqual({ a: 'short', b: `${half}x`, more: 1 });
  });

  it('after the contact was deleted makes a new one', async () => {
    const lead = newLead();
    const first = await source.sent(configuration._id, lead);
    expectStatus(await desk.remove(first.contactId), 200);
    const second = await source.sent(configuration._id, lead);
    expect(second.contactId).not.toBe(first.contactId);
    expect(await source.contact(second.contactId)).toMatchObject({ fullName: 'Ada Lovelace' });
  });
});
