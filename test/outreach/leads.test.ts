import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { eventsOf } from '../harness/events.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { expectStatus, failure, outcome } from '../harness/world.ts';
import { leadsClient, newLead } from './leads-client.ts';

const { product, admin, rep, foreigner } = await setUpWorld();
const leads = leadsClient(product, admin);
const contacts = contactsClient(product, admin);
const configuration = await leads.configure({ source: 'Facebook', ownerId: rep.userId });

const refused = async (lead: Record<string, unknown>, more = {}) =>
  outcome(await leads.send(configuration._id, lead, more));

test('A lead returns 200 {success: true, message, data: {contactId, conversationId, applicationId}}, without a bearer header', async () => {
  expect(outcome(await leads.send(configuration._id))).toEqual({
    status: 200,
    body: {
      success: true,
      message: 'Lead received: new contact',
      data: { contactId: expect.any(String), conversationId: expect.any(String), applicationId: null },
    },
  });
});

test('A lead becomes a contact of the configuration: its source and owner, made by its maker, in the first stage', async () => {
  const { stageIdByName } = (await contacts.list()).body;
  const { contactId } = await leads.sent(configuration._id, {
    phoneNumber: '+1 (555) 010-1815',
    email: ' ada@example.com ',
    customData: { budget: 5_000 },
  });
  expect(await leads.contact(contactId)).toMatchObject({
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@example.com',
    phoneNumbers: [{ value: '+15550101815', label: '', isPrimary: true }],
    source: 'Facebook',
    stage: 'New',
    stageId: stageIdByName.New,
    createdBy: admin.userId,
    owner: rep.userId,
    assignees: [],
    customFields: { budget: 5_000 },
    isBulkImport: false,
    lastMessageAt: null,
  });
});

test('A lead of a configuration without owner and source is nobody’s, and enters the stage that it names', async () => {
  const { stageIdByName } = (await contacts.list()).body;
  const { _id } = await leads.configure({ stageId: stageIdByName.Qualified });
  const { contactId } = await leads.sent(_id);
  expect(await leads.contact(contactId)).toMatchObject({ source: null, owner: null, stage: 'Qualified' });
  const unassigned = await contacts.everything({ ownerFilter: 'unassigned' });
  expect(unassigned.map((contact) => contact._id)).toContain(contactId);
});

test('A lead has an SMS conversation, which belongs to the owner', async () => {
  const { contactId, conversationId } = await leads.sent(configuration._id);
  expect(await leads.conversations(contactId)).toMatchObject([
    {
      _id: conversationId,
      contactId,
      channel: 'sms',
      userId: rep.userId,
      lastMessage: null,
      messageCount: 0,
      isResolved: false,
    },
  ]);
});

test('A lead is on the board of its owner, and emits contact_created, then lead_received', async () => {
  const { contactId } = await leads.sent(configuration._id);
  const seen = await contactsClient(product, rep).everything();
  expect(seen.map(({ _id }) => _id)).toContain(contactId);
  const events = (await eventsOf(product, admin.organizationId)).filter(
    ({ data }) => data.contactId === contactId,
  );
  expect(events).toMatchObject([
    { event: 'contact_created', audience: { kind: 'record', people: [admin.userId, rep.userId] } },
    { event: 'lead_received', audience: { kind: 'record', people: [admin.userId, rep.userId] } },
  ]);
});

test.each([
  [undefined, 400, 'configurationId is required'],
  [null, 400, 'configurationId must be a string'],
  ['', 404, 'Outreach configuration not found'],
])(
  'A lead with %j as its configurationId is %i {success: false, message}',
  async (configurationId, status, message) => {
    expect(await refused({ configurationId })).toEqual(failure(status, message));
  },
);

test('A lead for an inactive configuration is 400, until it is activated', async () => {
  const { _id } = await leads.configure({ isActive: false });
  expect(await refused({ configurationId: _id })).toEqual(
    failure(400, 'The outreach configuration is inactive. Activate it to receive leads.'),
  );
  expectStatus(await leads.change(_id, { isActive: true }), 200);
  expect((await refused({ configurationId: _id })).status).toBe(200);
});

test('A lead of a number that another organization knows is a contact of its own', async () => {
  const lead = newLead();
  const other = leadsClient(product, foreigner);
  const { _id } = await other.configure();
  const [here, there] = [await leads.sent(configuration._id, lead), await other.sent(_id, lead)];
  expect(there.contactId).not.toBe(here.contactId);
  expect((await contacts.read(there.contactId)).status).toBe(404);
});
