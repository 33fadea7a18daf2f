import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';
import { setDisabled } from '../organizations/client.ts';
import { pipelinesClient } from '../pipelines/client.ts';
import { leadsClient, newLead } from './leads-client.ts';

const { product, admin, rep, otherRep, foreignAdmin } = await setUpTenants();
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
  const events = (await readEvents(product, admin.organizationId)).filter(
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
  const other = leadsClient(product, foreignAdmin);
  const { _id } = await other.configure();
  const [here, there] = [await leads.sent(configuration._id, lead), await other.sent(_id, lead)];
  expect(there.contactId).not.toBe(here.contactId);
  expect((await contacts.read(there.contactId)).status).toBe(404);
});

test('A configuration with a stage that was removed lets contacts enter its pipeline, and without that the default stage', async () => {
  const pipelines = pipelinesClient(product, admin);
  const pipeline = await pipelines.created({ name: 'Short-lived', stages: ['First', 'Second'] });
  const { _id } = await leads.configure({ stageId: pipeline.stages[1]?._id });
  expect(await leads.contact((await leads.sent(_id)).contactId)).toMatchObject({ stage: 'Second' });

  for (const { _id: id } of await contacts.everything({ pipelineId: pipeline._id })) {
    expectStatus(await contacts.remove(id), 200);
  }
  expectStatus(await pipelines.update(pipeline._id, { stages: pipeline.stages.slice(0, 1) }), 200);
  const inFirst = await leads.sent(_id);
  expect(await leads.contact(inFirst.contactId)).toMatchObject({ pipelineId: pipeline._id, stage: 'First' });

  expectStatus(await contacts.remove(inFirst.contactId), 200);
  expectStatus(await pipelines.remove(pipeline._id), 200);
  expect(await leads.contact((await leads.sent(_id)).contactId)).toMatchObject({ stage: 'New' });
});

test('A configuration in an organization without an active Contact pipeline lets contacts enter the oldest', async () => {
  const other = await product.newOrganization();
  const own = leadsClient(product, other);
  const { _id: pipelineId } = await pipelinesClient(product, other).deactivate('Contact');
  const { contactId } = await own.sent((await own.configure())._id);
  expect(await own.contact(contactId)).toMatchObject({ pipelineId, stage: 'New' });
});

test('A configuration with an owner who is disabled gives its leads to nobody, and again to the owner who is back', async () => {
  const owner = await product.newColleague(admin);
  const { _id } = await leads.configure({ ownerId: owner.userId });
  const ownerOfNext = async () => (await leads.contact((await leads.sent(_id)).contactId)).owner;
  expect(await ownerOfNext()).toBe(owner.userId);
  await setDisabled(product, admin, owner, true);
  expect(await ownerOfNext()).toBeNull();
  await setDisabled(product, admin, owner, false);
  expect(await ownerOfNext()).toBe(owner.userId);
});

test('A configuration uses another owner from the moment it is configured', async () => {
  const { _id } = await leads.configure({ ownerId: rep.userId });
  await leads.sent(_id);
  expectStatus(await leads.change(_id, { ownerId: otherRep.userId }), 200);
  const { contactId } = await leads.sent(_id);
  expect(await leads.contact(contactId)).toMatchObject({ owner: otherRep.userId });
  expectStatus(await leads.change(_id, { ownerId: null }), 200);
  expect((await leads.contact((await leads.sent(_id)).contactId)).owner).toBeNull();
});

// Decisions 6, "Phone numbers"; 10, "Outreach lead, never lost for a detail".

const received = async (phoneNumber: string, more = '') => {
  const body = `{"configurationId": "${configuration._id}", "firstName": "Ada", "phoneNumber": ${phoneNumber}${more}}`;
  return expectStatus(await product.call('receive-lead', { body }), 200);
};
const contactOf = async (phoneNumber: string) =>
  leads.contact((await received(phoneNumber)).data.contactId) as Promise<{
    phoneNumbers: { value: string; extension?: string }[];
    customFields: object;
  }>;

test.each([
  ['4915112345678.0', '+4915112345678'],
  ['"4915112345679.0"', '+4915112345679'],
  ['14155552671.0', '+14155552671'],
  ['"5215512345678"', '+5215512345678'],
  ['"+52 (01) 55 1234 5670"', '+525512345670'],
])('The number %s of a lead is %s', async (written, value) => {
  expect((await contactOf(written)).phoneNumbers).toMatchObject([{ value }]);
});

test.each([
  '"+14155552672; +14155552673"',
  '"+4930123456; 0171 1234567"',
  '"+14155552674;ext=1234567890123456789012345"',
])(
  'Two numbers in one field, or an extension without end, are no number: %s stays as it was sent',
  async (written) => {
    const { phoneNumbers, customFields } = await contactOf(written);
    expect([phoneNumbers, customFields]).toEqual([[], { phoneNumber: JSON.parse(written) }]);
    const { status } = await contacts.create({ phoneNumbers: [{ value: JSON.parse(written) }] });
    expect(status).toBe(400);
  },
);

test('A known contact gets the extension that a lead has for its number', async () => {
  const { _id } = await contacts.created({ phoneNumbers: [{ value: '+14155552675' }] });
  await received('"+1 415 555 2675 x77"');
  expect((await contacts.read(_id)).body.data.phoneNumbers).toMatchObject([{ extension: '77' }]);
});

test('The message names a number that gave way to custom data of that name', async () => {
  const { message } = await received('"call me"', ', "customData": {"phoneNumber": "other"}');
  expect(message).toBe('Lead received: new contact. Left out: phoneNumber');
});
