import { expect, test } from 'vitest';
import { after as later, minute } from '../../shared/kernel/time.ts';
import { eventReader, readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { readEveryNotification } from '../notifications/client.ts';
import { notifierIn } from '../notifications/notifier.ts';
import { prepareStarts, trigger } from '../workflows/starting.ts';
import { leadsClient, newLead } from './leads-client.ts';

const tenants = await setUpTenants();
const { product, admin, rep, newContact } = tenants;
const leads = leadsClient(product, admin);
const { _id: configurationId } = await leads.configure({ source: 'Website', ownerId: rep.userId });

/** What leads are heard, in order, of those since the last time. */
async function hearing() {
  const newEvents = eventReader(product, admin.organizationId);
  await newEvents();
  return async () =>
    (await newEvents())
      .filter(({ event }) => event === 'lead_received')
      .map(({ data }) => ({ contactId: data.contactId, lead: data.lead }));
}

const ofConfiguration = (more: object) => ({ configurationId, ...more });

test('A lead is heard with what it did: a new contact, news, an application, nothing new', async () => {
  const heard = await hearing();
  const applying = await leads.configure({ createApplication: true });
  const lead = newLead();
  const { contactId } = await leads.sent(configurationId, lead);
  await leads.sent(configurationId, { ...lead, city: 'Paris' });
  await leads.sent(configurationId, { ...lead, firstName: 'Grace' });
  const { applicationId } = await leads.sent(applying._id, lead);
  const { contactId: nameless } = await leads.sent(configurationId, { phoneNumber: 'none' });
  expect(await heard()).toEqual([
    { contactId, lead: ofConfiguration({ isNew: true, changed: true }) },
    { contactId, lead: ofConfiguration({ isNew: false, changed: true }) },
    { contactId, lead: ofConfiguration({ isNew: false, changed: false }) },
    { contactId, lead: { configurationId: applying._id, isNew: false, changed: true, applicationId } },
    { contactId: nameless, lead: ofConfiguration({ isNew: true, changed: true }) },
  ]);
});

test('The event of a lead has the contact as it is now, and is for those who may see the contact', async () => {
  const { contactId } = await leads.sent(configurationId, { city: 'Paris' });
  const events = await readEvents(product, admin.organizationId);
  const own = events.find(({ event, data }) => event === 'lead_received' && data.contactId === contactId);
  const { pipelineId, stageId, ...contact } = await leads.contact(contactId);
  expect(own).toMatchObject({
    data: { contactId, pipelineId, stageId, contact: { ...contact, customFields: { city: 'Paris' } } },
    audience: { kind: 'record', people: [admin.userId, rep.userId] },
  });
});

test('A second lead of a known customer that says nothing new is an event, a notification of the owner, and starts a workflow', async () => {
  const owner = await product.newColleague(admin);
  const notifier = notifierIn(product, admin.organizationId);
  const starts = await prepareStarts(tenants);
  const phoneNumber = newPhoneNumber();
  const { _id } = await newContact({ phoneNumbers: [{ value: phoneNumber }], source: 'Fair' });
  await arrange(
    product.call('update-contact', { token: admin.token, path: { id: _id }, body: { owner: owner.userId } }),
  );
  await leads.sent(configurationId, { phoneNumber });
  await notifier.take();
  await starts.tell();
  const workflow = await starts.newWorkflow({
    nodes: [
      trigger('lead.received', {
        filter: [
          { field: 'event.isNew', operator: 'equals', value: false },
          { field: 'event.changed', operator: 'equals', value: false },
        ],
      }),
    ],
  });
  const heard = await hearing();
  const before = await readEveryNotification(product, owner);

  const { contactId } = await leads.sent(configurationId, { phoneNumber, firstName: 'Grace' });
  expect(contactId).toBe(_id);
  expect(await heard()).toEqual([{ contactId, lead: ofConfiguration({ isNew: false, changed: false }) }]);
  await notifier.take();
  await notifier.takeAgain();
  const [notification, ...others] = await readEveryNotification(product, owner);
  expect(notification).toMatchObject({ type: 'lead', contactId });
  expect(others).toEqual(before);
  await starts.tell();
  expect(await starts.runs(contactId)).toMatchObject([
    { workflowId: workflow._id, topic: 'lead.received', status: 'running' },
  ]);
});

const at = new Date('2026-05-04T12:00:00.000Z');
const afterwards = (milliseconds: number) => ({ at: later(at, milliseconds) });

/** Sends a lead, then what may be a repetition of it; whether that one is heard. */
async function isHeardAgain(
  lead: Record<string, unknown>,
  again: Record<string, unknown>,
  since: number,
): Promise<boolean> {
  const first = await leads.send(configurationId, lead, afterwards(0));
  const heard = await hearing();
  const second = await leads.send(configurationId, again, afterwards(since));
  const [event] = await heard();
  if (event === undefined) {
    expect(second.body).toEqual(first.body);
    expect(second.consumed?.writeUnits ?? 0).toBe(0);
  }
  return event !== undefined;
}

const data = { plan: 'pro', seats: 3, nested: { a: 1, b: [1, { c: 2, d: 3 }] } };

/** Decisions 10, "Outreach lead, always heard". The order of members says nothing (RFC 8259, 4), that of a list does (5). */
test.each<[string, object, object]>([
  ['the same', {}, {}],
  [
    'the same number in another notation',
    { phoneNumber: '+442079460991' },
    { phoneNumber: '0044 20 7946-0991' },
  ],
  ['blanks around its texts', { firstName: 'Ann', note: 'x' }, { firstName: ' Ann\n', note: 'x ' }],
  ['its fields in another order', { a: 1, b: 2, customData: data }, { customData: data, b: 2, a: 1 }],
  [
    'its nested fields in another order',
    { customData: data },
    { customData: { nested: { b: [1, { d: 3, c: 2 }], a: 1 }, seats: 3, plan: 'pro' } },
  ],
  ['its customData among its fields', { customData: { plan: 'pro' } }, { plan: 'pro' }],
  ['an empty email', { email: '' }, { email: null }],
  [
    'another shadowed field',
    { plan: 'a', customData: { plan: 'c' } },
    { plan: 'b', customData: { plan: 'c' } },
  ],
])('A lead that repeats another within 10 minutes with %s does nothing', async (_, one, other) => {
  const lead = newLead();
  expect(await isHeardAgain({ ...lead, ...one }, { ...lead, ...other }, 9 * minute)).toBe(false);
});

test.each<[string, object, object]>([
  ['another name', { lastName: 'Lee' }, { lastName: 'Li' }],
  ['another email', { email: 'a@example.com' }, { email: 'b@example.com' }],
  ['another number', { phoneNumber: '+442079460992' }, { phoneNumber: '+442079460993' }],
  ['a further field', {}, { city: 'Paris' }],
  ['a field less', { city: 'Paris' }, {}],
  ['another value in a list', { list: [1, 2] }, { list: [1, 3] }],
  ['a list in another order', { list: [1, 2] }, { list: [2, 1] }],
  ['a text in place of a number', { seats: 3 }, { seats: '3' }],
  ['another value for which there is no room', { note: 'x'.repeat(17_000) }, { note: 'y'.repeat(17_000) }],
])('A lead within 10 minutes of another with %s is heard', async (_, one, other) => {
  const lead = newLead();
  expect(await isHeardAgain({ ...lead, ...one }, { ...lead, ...other }, minute)).toBe(true);
});

test.each([
  [0, false],
  [10 * minute, false],
  [10 * minute + 1, true],
  [60 * minute, true],
  [-10 * minute - 1, true],
])('A lead whose content comes again %i ms later is heard: %s', async (since, isHeard) => {
  const lead = { ...newLead(), phoneNumber: 'none' };
  const own = { ...lead, lastName: newPhoneNumber() };
  expect(await isHeardAgain(own, own, since)).toBe(isHeard);
});

test('Repetitions of a lead do not put off when its content is heard again', async () => {
  const lead = newLead();
  const heard = await hearing();
  for (const since of [0, 4, 8, 10, 11, 15, 20, 21, 22]) {
    await leads.sent(configurationId, lead, afterwards(since * minute));
  }
  expect(await heard()).toHaveLength(3);
});

test('A lead for another configuration is no repetition, whatever the first one had', async () => {
  const heard = await hearing();
  const { _id: other } = await leads.configure();
  const lead = newLead();
  const headers = { 'webhook-id': newPhoneNumber() };
  await leads.sent(configurationId, lead, { headers });
  await leads.sent(other, lead, { headers });
  expect(await heard()).toHaveLength(2);
});

test('A lead with the webhook-id of another is a repetition days later, whatever it says and whether it is signed or not', async () => {
  const headers = { 'webhook-id': newPhoneNumber() };
  const lead = newLead();
  const first = await leads.send(configurationId, lead, { headers, ...afterwards(0) });
  const heard = await hearing();
  const more = { headers, ...afterwards(2 * 24 * 60 * minute) };
  expect((await leads.send(configurationId, { ...lead, city: 'Paris' }, more)).body).toEqual(first.body);
  expect(await heard()).toEqual([]);
  await leads.sent(configurationId, { ...lead, city: 'Paris' }, { headers: { 'webhook-id': 'another' } });
  expect(await heard()).toHaveLength(1);
});

test('A lead that comes again within 10 minutes after its contact was deleted is no repetition', async () => {
  const lead = { phoneNumber: 'none', lastName: newPhoneNumber() };
  const { contactId } = await leads.sent(configurationId, lead);
  await arrange(product.call('delete-contact', { token: admin.token, path: { id: contactId } }));
  const again = await leads.sent(configurationId, lead);
  expect(again.contactId).not.toBe(contactId);
  expect(await leads.sent(configurationId, lead)).toEqual(again);
});

test('30 equal leads at the same moment without a number: one contact, one event, equal responses', async () => {
  const heard = await hearing();
  const lead = { phoneNumber: '', firstName: 'Ann', email: 'ann@example.com', city: newPhoneNumber() };
  const responses = await Promise.all(Array.from({ length: 30 }, () => leads.send(configurationId, lead)));
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(await heard()).toEqual([
    {
      contactId: responses[0]?.body.data.contactId,
      lead: ofConfiguration({ isNew: true, changed: true }),
    },
  ]);
});
