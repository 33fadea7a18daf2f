import { randomInt } from 'node:crypto';
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
  [{ a: 1 }, 400, 'configurationId must be a string'],
  ['', 404, 'Outreach configuration not found'],
])(
  'A lead with %j as its configurationId is %i {success: false, message}',
  async (configurationId, status, message) => {
    expect(await refused({ configurationId })).toEqual(failure(status, message));
  },
);

/**
 * Decisions 10, "Outreach lead, never lost for a detail": a number of 11-15 digits without `+` gets one; an email that is none goes to
 * custom data as `email`.
 */
test('A lead with a number of 11 to 15 digits without a plus is of that number', async () => {
  const phoneNumber = `+1303${String(randomInt(2_000_000, 10_000_000))}`;
  const [first, second] = [
    await leads.sent(configuration._id, {
      phoneNumber: phoneNumber.replace('+', '').replace(/^(....)/, '$1 '),
    }),
    await leads.sent(configuration._id, { phoneNumber }),
  ];
  expect(second.contactId).toBe(first.contactId);
  expect((await leads.contact(first.contactId)).phoneNumbers).toMatchObject([{ value: phoneNumber }]);
});

test.each<[unknown]>([['ada@'], [7], [['ada@example.com']], [{ work: 'ada@example.com' }]])(
  'A lead with %j as its email has it as custom data, and is not lost by it',
  async (email) => {
    const { contactId } = await leads.sent(configuration._id, { email, city: 'London' });
    expect(await leads.contact(contactId)).toMatchObject({
      email: null,
      customFields: { email, city: 'London' },
    });
  },
);

test.each<[unknown]>([[['a']], ['a'], [0]])(
  'A lead with %j as customData has it under that name',
  async (customData) => {
    const { contactId } = await leads.sent(configuration._id, { customData, city: 'London' });
    expect((await leads.contact(contactId)).customFields).toEqual({ customData, city: 'London' });
  },
);

test.each([
  ['an empty', ''],
  ['a blank', ' '],
  ['a null', null],
])('A lead with %s email has none, and is not lost by it', async (_, email) => {
  const { contactId } = await leads.sent(configuration._id, { email });
  expect((await leads.contact(contactId)).email).toBeNull();
});

test('A lead for an unknown configuration is 404, for an inactive one 400', async () => {
  const missing = { success: false, message: 'Outreach configuration not found' };
  for (const configurationId of ['unknown', '01JZZZZZZZZZZZZZZZZZZZZZZZ']) {
    expect(await refused({ configurationId })).toEqual({ status: 404, body: missing });
  }
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
