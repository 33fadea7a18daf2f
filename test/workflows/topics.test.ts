import { expect, test } from 'vitest';
import { occurrencesOf } from '../../functions/workflows/model/topics/occurrences.ts';
import { topicFields } from '../../functions/workflows/model/topics/topic-fields.ts';
import { type Occurrence, type Topic, topics } from '../../functions/workflows/model/topics/topics.ts';
import { eventsOf } from '../harness/events.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import { topicActorsIn } from './topic-actors.ts';
import { topicCases } from './topic-cases.ts';

const world = await setUpWorld();
const { product, admin, newContact } = world;
const actors = await topicActorsIn(world);
const { call, reminders, newConversation } = actors;
const cases = topicCases(actors);

/** What workflows learn of, from what this does, in the order of the events. */
async function toldBy(act: () => Promise<unknown>): Promise<Occurrence[]> {
  const before = new Set((await eventsOf(product, admin.organizationId)).map(({ id }) => id));
  await act();
  const events = (await eventsOf(product, admin.organizationId)).filter(({ id }) => !before.has(id));
  const told = events.flatMap(occurrencesOf);
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
  const events = await eventsOf(product, admin.organizationId);
  expect(events.flatMap(occurrencesOf)).toEqual(events.flatMap(occurrencesOf));
  expect(JSON.stringify(events.flatMap(occurrencesOf))).toContain('contact.created');
});
