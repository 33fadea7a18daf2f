import { expect, test } from 'vitest';
import { topicFields } from '../../functions/workflows/model/definition/topic-fields.ts';
import { type Occurrence, type Topic, topics } from '../../functions/workflows/model/definition/topics.ts';
import { occurrencesIn } from '../../functions/workflows/model/triggers/occurrences.ts';
import { definedOnly } from '../../shared/kernel/defined-only.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { topicActorsIn } from './topic-actors.ts';
import { topicCases } from './topic-cases.ts';

const tenants = await setUpTenants();
const { product, admin, newContact } = tenants;
const actors = await topicActorsIn(tenants);
const { call, reminders, newConversation } = actors;
const cases = topicCases(actors);

/** What workflows learn of, from what this does, in the order of the events. */
async function toldBy(act: () => Promise<unknown>): Promise<Occurrence[]> {
  const before = new Set((await readEvents(product, admin.organizationId)).map(({ id }) => id));
  await act();
  const events = (await readEvents(product, admin.organizationId)).filter(({ id }) => !before.has(id));
  const told = events.flatMap(occurrencesIn);
  const names = told.map(({ topic, eventId }) => `${topic} ${eventId}`);
  expect(names).toEqual([...new Set(names)]);
  for (const { topic, fields } of told) {
    const documented = topicFields[topic].map(({ name }) => name);
    expect(Object.keys(fields).filter((name) => !documented.includes(name))).toEqual([]);
  }
  return told;
}

/** Those that workflows themselves bring about. */
const ofWorkflows: readonly Topic[] = ['run.failed', 'manual.started'];

test('Every topic has a case', () => {
  expect([...Object.keys(cases), ...ofWorkflows].sort()).toEqual([...topics].sort());
});

test.each(Object.entries(cases))('%s happens once, when its cause does', async (_, prepare) => {
  const { act, told } = await prepare();
  const occurrences = await toldBy(act);
  expect(occurrences.map(({ topic, fields }) => [topic, fields])).toEqual(told);
  const contacts = new Set(occurrences.map(({ contactId }) => contactId));
  expect([...contacts]).toEqual([expect.any(String)]);
});

const assigned = (...userIds: string[]) => ['contact.assigned', { userId: userIds[0], userIds }] as const;
const tagged = (tag: string) => ['contact.tag_added', { tag }] as const;

/** What is told of the people and tags of a contact that this creates. */
async function toldOfAdditions(act: () => Promise<unknown>) {
  const told = await toldBy(act);
  expect(told.map(({ topic }) => topic)[0]).toBe('contact.created');
  return told
    .filter(({ topic }) => topic === 'contact.assigned' || topic === 'contact.tag_added')
    .map(({ topic, fields: { userId, userIds, tag } }) => [topic, definedOnly({ userId, userIds, tag })]);
}

test('A contact that is created with people and tags is told of as if they were added to it, each once', async () => {
  const { rep, head } = tenants;
  const body = { owner: head.userId, assignees: [rep.userId, head.userId], tags: ['vip', 'keen', 'vip'] };
  expect(await toldOfAdditions(() => newContact(body))).toEqual([
    assigned(head.userId, rep.userId),
    tagged('vip'),
    tagged('keen'),
  ]);
  expect(await toldOfAdditions(() => newContact({ owner: null }))).toEqual([]);
  expect(await toldOfAdditions(() => newContact({ owner: null, assignees: [rep.userId] }))).toEqual([
    assigned(rep.userId),
  ]);
});

test('A contact that a lead, a text or a call creates is told of as assigned to its owner', async () => {
  const { leads, sms, inboundCall } = actors;
  const { rep, head } = tenants;
  const { _id: configurationId } = await leads.configure({ ownerId: head.userId });
  expect(await toldOfAdditions(() => leads.sent(configurationId))).toEqual([assigned(head.userId)]);
  expect(await toldOfAdditions(() => sms.text({ From: newPhoneNumber(), Body: 'Hi' }))).toEqual([
    assigned(rep.userId),
  ]);
  expect(await toldOfAdditions(() => inboundCall().reports('ringing'))).toEqual([assigned(rep.userId)]);
});

test('A contact whose event is too large for a frame is told of with its people and tags nevertheless', async () => {
  const tags = Array.from({ length: 50 }, (_, index) => `${index} ${'😀'.repeat(45)}`);
  const phoneNumbers = Array.from({ length: 10 }, () => ({
    value: newPhoneNumber(),
    label: '😀'.repeat(200),
  }));
  const body = { tags, phoneNumbers, customFields: { story: 'x'.repeat(16_000) } };
  const told = await toldBy(() => newContact(body));
  expect(told[0]?.fields).not.toHaveProperty('tags');
  expect(told.map(({ topic, fields: { userId, tag } }) => [topic, userId ?? tag])).toEqual([
    ['contact.created', undefined],
    ['contact.assigned', tenants.rep.userId],
    ...tags.map((tag) => ['contact.tag_added', tag]),
  ]);
});

test('A call, a message and a note change no field of the contact, and an update that changes nothing is no event', async () => {
  const { writes, contactId } = await newConversation();
  const told = await toldBy(async () => {
    await writes('Hello again');
    await call('create-note', { body: { contactId, note: 'Hello' } });
    await call('send-message', { body: { contactId, content: 'Hello' } });
    await call('update-contact', { path: { id: contactId }, body: { lastName: 'Person' } });
  });
  expect(told.map(({ topic }) => topic)).toEqual(['message.received', 'note.created']);
});

test('A reminder is an event even when nobody wants to be notified of it', async () => {
  const { _id: contactId } = await newContact();
  const at = reminders.nextTime();
  const user = await product.newColleague(admin, 'ADMIN');
  await call('update-notification-preferences', { body: { reminders: false } }, user);
  await reminders.remind(user, contactId, at);
  const told = await toldBy(() => reminders.run(at));
  expect(told.map(({ topic, fields }) => [topic, fields.userId])).toEqual([['reminder.due', user.userId]]);
});

test('An event says the same at each delivery', async () => {
  const events = await readEvents(product, admin.organizationId);
  expect(events.flatMap(occurrencesIn)).toEqual(events.flatMap(occurrencesIn));
  expect(JSON.stringify(events.flatMap(occurrencesIn))).toContain('contact.created');
});
