import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectStatus, outcome, startWorld, type World } from '../harness/world.ts';
import { type Configuration, invalid, type LeadSource, leadSource, newLead } from './lead-source.ts';

let world: World;
let source: LeadSource;
let configuration: Configuration;
beforeAll(async () => {
  world = await startWorld();
  source = leadSource(world.product, world.admin);
  configuration = await source.configure({ source: 'Facebook', ownerId: world.rep.userId });
});
afterAll(() => world.product.stop());

const refused = async (lead: Record<string, unknown>, more = {}) =>
  outcome(await source.send(configuration._id, lead, more));

describe('Custom data', () => {
  it('is every extra top-level field and customData, which wins over an extra of the same name', async () => {
    const { contactId } = await source.sent(configuration._id, {
      campaign: 'spring',
      tags: ['a', { b: null }],
      score: 0.1,
      city: 'London',
      customData: { city: 'Paris', campaign: null, 'odd key #1': true },
    });
    expect((await source.contact(contactId)).customFields).toEqual({
      campaign: null,
      tags: ['a', { b: null }],
      score: 0.1,
      city: 'Paris',
      'odd key #1': true,
    });
  });

  it('may be called as fields of the service are, without touching these', async () => {
    const fields = {
      _id: 'mine',
      organizationId: world.foreigner.organizationId,
      userId: 'me',
      createdAt: 'yesterday',
      owner: world.stranger.userId,
      stageId: 'mine',
    };
    const { contactId } = await source.sent(configuration._id, fields);
    const contact = await source.contact(contactId);
    expect(contact.customFields).toEqual(fields);
    expect(contact).toMatchObject({ _id: contactId, owner: world.rep.userId, stage: 'New' });
  });

  it('may have the key constructor and its like; __proto__ is 400', async () => {
    const odd = '"constructor": {"prototype": {"a": 1}}, "toString": 1, "hasOwnProperty": null';
    const { phoneNumber } = newLead();
    const body = `{"configurationId": "${configuration._id}", "phoneNumber": "${phoneNumber}", "firstName": "Odd", "lastName": "Keys", ${odd}, "customData": {"valueOf": 2, ${odd}}}`;
    const { data } = expectStatus(await world.product.call('receive-lead', { body }), 200);
    const { customFields } = await source.contact(data.contactId);
    expect(customFields).toEqual({ ...JSON.parse(`{${odd}}`), valueOf: 2 });
    expect(await refused({}, { body: body.replace('valueOf', '__proto__') })).toEqual(
      invalid('body must not contain the key __proto__'),
    );
  });

  const numbered = (count: number, from = 0) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${from + index}`, index]));

  it('has at most 50 keys, further fields and customData together', async () => {
    const { contactId } = await source.sent(configuration._id, {
      ...numbered(20),
      customData: numbered(30, 20),
    });
    expect((await source.contact(contactId)).customFields).toEqual({ ...numbered(20), ...numbered(30, 20) });
    for (const lead of [
      { ...numbered(20), customData: numbered(31, 20) },
      numbered(51),
      { customData: numbered(51) },
    ]) {
      expect(await refused(lead)).toEqual(invalid('customData and extra fields must have at most 50 keys'));
    }
    // A name that comes twice counts once.
    expect((await refused({ ...numbered(50), customData: numbered(50) })).status).toBe(200);
  });

  it('has at most 16 KB, and keys of at most 200 characters', async () => {
    const bytes = 16 * 1024 - '{"text":""}'.length;
    const exactly = { text: `${'é'.repeat((bytes - 1) / 2)}x` };
    expect(Buffer.byteLength(JSON.stringify(exactly))).toBe(16 * 1024);
    expect((await refused({ customData: exactly })).status).toBe(200);
    expect((await refused(exactly)).status).toBe(200);
    expect(await refused({ text: `${exactly.text}x` })).toEqual(
      invalid('customData and extra fields must be at most 16 KB'),
    );
    expect((await refused({ ['👋'.repeat(200)]: 1 })).status).toBe(200);
    expect(await refused({ ['👋'.repeat(201)]: 1 })).toEqual(
      invalid('customData and extra fields must have keys of at most 200 characters'),
    );
  });
});
