import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, deskOf, eventsOf } from '../contacts/desk.ts';
import { expectStatus, outcome, startWorld, type World } from '../harness/world.ts';
import { type Configuration, invalid, type LeadSource, leadSource, newLead } from './lead-source.ts';

let world: World;
let source: LeadSource;
let desk: Desk;
let configuration: Configuration;
beforeAll(async () => {
  world = await startWorld();
  source = leadSource(world.product, world.admin);
  desk = deskOf(world.product, world.admin);
  configuration = await source.configure({ source: 'Facebook', ownerId: world.rep.userId });
});
afterAll(() => world.product.stop());

const refused = async (lead: Record<string, unknown>, more = {}) =>
  outcome(await source.send(configuration._id, lead, more));

describe('A lead', () => {
  it('answers 200 {success: true, message, data: {contactId, conversationId, applicationId}}, without a bearer header', async () => {
    const { status, body } = await source.send(configuration._id);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      message: 'Lead received: new contact',
      data: { contactId: expect.any(String), conversationId: expect.any(String), applicationId: null },
    });
  });

  it('becomes a contact of the configuration: its source and owner, made by its maker, in the first stage', async () => {
    const { stageIdByName } = (await desk.list()).body;
    const { contactId } = await source.sent(configuration._id, {
      phoneNumber: '+1 (555) 010-1815',
      email: ' ada@example.com ',
      customData: { budget: 5_000 },
    });
    expect(await source.contact(contactId)).toMatchObject({
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.com',
      phoneNumbers: [{ value: '+15550101815', label: '', isPrimary: true }],
      source: 'Facebook',
      stage: 'New',
      stageId: stageIdByName.New,
      createdBy: world.admin.userId,
      owner: world.rep.userId,
      assignees: [],
      customFields: { budget: 5_000 },
      isBulkImport: false,
      lastMessageAt: null,
    });
  });

  it('of a configuration without owner and source is nobody’s, and enters the stage that it names', async () => {
    const { stageIdByName } = (await desk.list()).body;
    const { _id } = await source.configure({ stageId: stageIdByName.Qualified });
    const { contactId } = await source.sent(_id);
    expect(await source.contact(contactId)).toMatchObject({ source: null, owner: null, stage: 'Qualified' });
    const unassigned = await desk.everything({ ownerFilter: 'unassigned' });
    expect(unassigned.map((contact) => contact._id)).toContain(contactId);
  });

  it('has an SMS conversation, which belongs to the owner', async () => {
    const { contactId, conversationId } = await source.sent(configuration._id);
    expect(await source.conversations(contactId)).toMatchObject([
      {
        _id: conversationId,
        contactId,
        channel: 'sms',
        userId: world.rep.userId,
        lastMessage: null,
        messageCount: 0,
        isResolved: false,
      },
    ]);
  });

  it('is on the board of its owner, and told as contact_created', async () => {
    const { contactId } = await source.sent(configuration._id);
    const seen = await deskOf(world.product, world.rep).everything();
    expect(seen.map(({ _id }) => _id)).toContain(contactId);
    const events = (await eventsOf(world.product, world.admin.organizationId)).filter(
      ({ data }) => data.contactId === contactId,
    );
    expect(events).toMatchObject([
      {
        event: 'contact_created',
        audience: { kind: 'record', people: [world.admin.userId, world.rep.userId] },
      },
    ]);
  });

  it.each(['configurationId', 'phoneNumber', 'firstName', 'lastName'])('needs %s', async (field) => {
    expect(await refused({ [field]: undefined })).toEqual(invalid(`${field} is required`));
    expect((await refused({ [field]: null })).body.message).toMatch(new RegExp(`^${field} must be`));
    expect((await refused({ [field]: '' })).body.message).toMatch(new RegExp(`^${field} must`));
    expect((await refused({ [field]: { a: 1 } })).body.message).toMatch(new RegExp(`^${field} must be`));
  });

  it.each([
    [{ phoneNumber: '5550100' }, 'phoneNumber must be an E.164 phone number, like +15551234567'],
    [{ firstName: 'x'.repeat(201) }, 'firstName must have at most 200 characters'],
    [{ email: 'ada@' }, 'email must be an e-mail address of at most 254 characters'],
    [{ email: 7 }, 'email must be a string'],
    [{ customData: ['a'] }, 'customData must be an object'],
    [{ customData: 'a' }, 'customData must be an object'],
  ])('of %j is 400 {success: false, message}, and makes nothing', async (lead, message) => {
    const before = (await desk.everything()).length;
    expect(await refused(lead)).toEqual(invalid(message));
    expect((await desk.everything()).length).toBe(before);
  });

  it.each([
    ['an empty', ''],
    ['a blank', ' '],
    ['a null', null],
  ])('with %s e-mail has none, and is not lost by it', async (_, email) => {
    const { contactId } = await source.sent(configuration._id, { email });
    expect((await source.contact(contactId)).email).toBeNull();
  });

  it('for an unknown configuration is 404, for an inactive one 400', async () => {
    const missing = { success: false, message: 'Outreach configuration not found' };
    for (const configurationId of ['unknown', '01JZZZZZZZZZZZZZZZZZZZZZZZ']) {
      expect(await refused({ configurationId })).toEqual({ status: 404, body: missing });
    }
    const { _id } = await source.configure({ isActive: false });
    expect(await refused({ configurationId: _id })).toEqual(
      invalid('The outreach configuration is inactive. Activate it to receive leads.'),
    );
    expectStatus(await source.change(_id, { isActive: true }), 200);
    expect((await refused({ configurationId: _id })).status).toBe(200);
  });

  it('of a number that another organization knows is a contact of its own', async () => {
    const lead = newLead();
    const other = leadSource(world.product, world.foreigner);
    const { _id } = await other.configure();
    const [here, there] = [await source.sent(configuration._id, lead), await other.sent(_id, lead)];
    expect(there.contactId).not.toBe(here.contactId);
    expect((await desk.read(there.contactId)).status).toBe(404);
  });
});
