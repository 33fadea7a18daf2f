import { expect, test } from 'vitest';
import { eventsDuring } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { contactsClient } from './client.ts';

const tenants = await setUpTenants();
const { product, otherRep } = tenants;
const contacts = contactsClient(product, tenants.admin);
const [admin, rep, head] = [tenants.admin, tenants.rep, tenants.head].map(({ userId }) => userId) as [
  string,
  string,
  string,
];

const eventsIn = <Result>(act: () => Promise<Result>) =>
  eventsDuring(product, tenants.admin.organizationId, act);

test('Exactly one event of a new contact goes to those tied to it', async () => {
  const at = new Date();
  const { events, result: contact } = await eventsIn(() =>
    contacts.created({ firstName: 'New', owner: rep, assignees: [head] }, at),
  );
  expect(events).toEqual([
    {
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      event: 'contact_created',
      at: at.toISOString(),
      actor: { type: 'user', id: admin },
      requestId: expect.any(String),
      data: { contactId: contact._id, pipelineId: contact.pipelineId, stageId: contact.stageId, contact },
      audience: { kind: 'record', people: [admin, rep, head] },
      // Nobody who listens sees this: whom the background reader notifies.
      notify: expect.objectContaining({ type: 'assignment', by: admin }),
      // Nor this: what starts workflows.
      change: { assigned: [rep, head] },
    },
  ]);
});

test('Exactly one event of an update goes also to those who were tied to the contact before', async () => {
  const { _id } = await contacts.created({ firstName: 'Old', owner: rep });
  const { events, result } = await eventsIn(() => contacts.update(_id, { firstName: 'Edited', owner: head }));
  expect(events).toMatchObject([
    {
      event: 'contact_updated',
      data: { contactId: _id, contact: expectStatus(result, 200).data },
      audience: { kind: 'record', people: [admin, head], formerly: [admin, rep] },
    },
  ]);
});

test('Exactly one event of a move says from where, and to where', async () => {
  const { _id, stageId: fromStageId } = await contacts.created({ firstName: 'Mover', owner: null });
  const { events, result } = await eventsIn(() => contacts.move(_id, { stage: 'Won' }));
  const contact = expectStatus(result, 200).data;
  expect(events).toMatchObject([
    {
      event: 'contact_stage_changed',
      data: { contactId: _id, fromStageId, toStageId: contact.stageId, stageId: contact.stageId, contact },
      audience: { kind: 'record', people: [admin] },
    },
  ]);
});

test('A removal emits exactly one event, with nothing of the record but where it was', async () => {
  const { _id, pipelineId, stageId } = await contacts.created({ firstName: 'Gone', assignees: [rep] });
  const { events } = await eventsIn(() => contacts.remove(_id));
  expect(events).toMatchObject([
    { event: 'contact_removed', audience: { kind: 'record', people: [admin, rep] } },
  ]);
  expect(events[0]?.data).toEqual({ contactId: _id, pipelineId, stageId });
});

test('Exactly one event of a contact too large for a frame carries the ids alone', async () => {
  const body = {
    firstName: 'Large',
    customFields: { text: 'x'.repeat(16_000) },
    tags: Array.from({ length: 50 }, (_, n) => `${'😀'.repeat(48)}${n}`),
    phoneNumbers: Array.from({ length: 10 }, () => ({ value: newPhoneNumber(), label: '😀'.repeat(200) })),
  };
  const { events, result } = await eventsIn(() => contacts.created(body));
  const { _id: contactId, pipelineId, stageId } = result;
  expect(events.map(({ data }) => data)).toEqual([{ contactId, pipelineId, stageId }]);
});

test('An update that changes nothing emits no event, and updatedAt stays', async () => {
  const body = {
    firstName: 'Same',
    phoneNumbers: [{ value: newPhoneNumber() }],
    tags: ['a'],
    assignees: [rep],
    customFields: { a: { b: [1] } },
  };
  const record = await contacts.created(body);
  const later = new Date(Date.now() + 5_000);
  for (const same of [
    {},
    { unknown: 1 },
    { firstName: ' Same' },
    body,
    { ...body, email: null, owner: admin },
  ]) {
    const { events, result } = await eventsIn(() => contacts.update(record._id, same, later));
    expect(events).toEqual([]);
    expect(expectStatus(result, 200).data).toEqual(record);
  }
  expect((await contacts.read(record._id)).body.data).toEqual(record);
});

test('A change that fails emits no event', async () => {
  const value = newPhoneNumber();
  await contacts.created({ firstName: 'Holder', phoneNumbers: [{ value }] });
  const { _id } = await contacts.created({ firstName: 'Other' });
  const { events, result } = await eventsIn(async () => [
    await contacts.create({ firstName: 'A', phoneNumbers: [{ value }] }),
    await contacts.create({ firstName: 'A', owner: 'nobody' }),
    await contacts.create({ firstName: 'A', stage: 'Nowhere' }),
    await contacts.create({}),
    await contacts.update(_id, { phoneNumbers: [{ value }] }),
    await contacts.update(_id, { assignees: ['nobody'] }),
    await contacts.update('nothing', { firstName: 'A' }),
    await contacts.move(_id, { stage: 'Nowhere' }),
    await contacts.remove('nothing'),
    await contactsClient(product, otherRep).remove(_id),
  ]);
  expect(result.map(({ status }) => status)).toEqual([409, 404, 404, 400, 409, 404, 404, 404, 404, 404]);
  expect(events).toEqual([]);
});
