import { afterAll, expect, test } from 'vitest';
import { after, second } from '../../shared/kernel/time.ts';
import { conversationsClient } from '../conversations/client.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange } from '../harness/tenants.ts';
import { countUnread, markAllRead, markRead, readEveryNotification } from '../notifications/client.ts';
import { notifierIn } from '../notifications/notifier.ts';
import { left, withContact } from './call-records.ts';
import { callsClient } from './client.ts';
import { expectConsistent } from './consistency.ts';
import { inTurns, interleaved, type Schedule } from './interleaved.ts';

// "A notification exists if, and only if, its cause does": the assignment of a voice conversation ends with the conversation.

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const table = setUpFaultyTable();
const calls = callsClient(product, rep);
const notifier = notifierIn(product, admin.organizationId);
afterAll(() => expectConsistent(product, admin));

const newColleague = () => product.newColleague(admin);
const assign = (conversationId: string, people: readonly Person[]) =>
  arrange(
    conversationsClient(product, admin).update(conversationId, {
      assignees: people.map(({ userId }) => userId),
    }),
  );

/** A call whose conversation these people were assigned to, of which they have been notified. */
async function assignedCall(people: readonly Person[]) {
  const call = await calls.answered();
  await assign(call.conversationId, people);
  await notifier.take();
  return call;
}

/** Assigns a conversation to these people again and again; each time they are notified. */
async function assignOften(conversationId: string, people: readonly Person[], times: number) {
  for (let count = 0; count < times; count += 1) {
    await assign(conversationId, people);
    await notifier.take();
    await assign(conversationId, []);
  }
}

const typesOf = async (person: Person) =>
  (await readEveryNotification(product, person)).map(({ type }) => type).sort();

test.each([
  ['alone', false],
  ['with its contact', true],
])(
  'A call that is discarded %s takes along who was told of the assignment of its conversation, read or not',
  async (_, deleteContact) => {
    const people = [await newColleague(), await newColleague(), await newColleague()] as const;
    const call = await assignedCall(people);
    const [unread, opened, cleared] = people;
    const [notification] = await readEveryNotification(product, opened);
    await arrange(markRead(product, opened, notification?._id ?? ''));
    await arrange(markAllRead(product, cleared));
    expect(await Promise.all(people.map(typesOf))).toEqual(Array(3).fill(['assignment']));
    expect(await countUnread(product, unread)).toBe(1);
    const body = deleteContact ? withContact(call) : {};
    await arrange(calls.discard(call._id, body));
    expect(await left(tenants, call)).toMatchObject({ conversation: false, contact: !deleteContact });
    expect(await Promise.all(people.map(typesOf))).toEqual([[], [], []]);
    expect(await Promise.all(people.map((person) => countUnread(product, person)))).toEqual([0, 0, 0]);
  },
);

test('A call that is discarded leaves who was told of the assignment of its conversation while another call keeps that', async () => {
  const person = await newColleague();
  const call = await assignedCall([person]);
  const other = await calls.answered(call.from ?? '');
  await arrange(calls.discard(call._id));
  expect(await typesOf(person)).toEqual(['assignment']);
  await arrange(calls.discard(other._id));
  expect(await typesOf(person)).toEqual([]);
  expect(await countUnread(product, person)).toBe(0);
});

test('A call that is discarded before anybody is told of the assignment of its conversation tells nobody', async () => {
  // Who sees the contact, too.
  const person = await product.newColleague(admin, 'ADMIN');
  const call = await calls.answered();
  await assign(call.conversationId, [person]);
  await arrange(calls.discard(call._id));
  await notifier.take();
  expect(await typesOf(person)).toEqual([]);
});

test('A call whose conversation was assigned sixty times takes all those notifications along', async () => {
  const people = [await newColleague(), await newColleague(), await newColleague()];
  const call = await calls.answered();
  await assignOften(call.conversationId, people, 20);
  expect(await Promise.all(people.map((person) => countUnread(product, person)))).toEqual([20, 20, 20]);
  await arrange(calls.discard(call._id));
  expect(await Promise.all(people.map(typesOf))).toEqual([[], [], []]);
  expect(await Promise.all(people.map((person) => countUnread(product, person)))).toEqual([0, 0, 0]);
});

test('A call that is discarded while another one comes takes all the notifications of their conversation along, or none, in 20 interleavings', async () => {
  const people = [await newColleague(), await newColleague(), await newColleague(), await newColleague()];
  const kept = new Set<boolean>();
  for (let requests = 1; requests <= 20; requests += 1) {
    const call = await calls.answered();
    await assignOften(call.conversationId, people, 6);
    const [discarded] = await interleaved(table, inTurns(0, requests, 10_000), [
      () => calls.discard(call._id),
      () => calls.answered(call.from ?? ''),
    ]);
    expect(discarded.status).toBe(200);
    const { conversation } = await left(tenants, call);
    kept.add(conversation);
    const counts = await Promise.all(people.map((person) => countUnread(product, person)));
    expect([requests, counts]).toEqual([requests, Array(4).fill(conversation ? 6 : 0)]);
    await Promise.all(people.map((person) => arrange(markAllRead(product, person))));
  }
  // Both ways: the other call kept the conversation, or came too late for that.
  expect([...kept].sort()).toEqual([false, true]);
});

test('A call that is discarded while its conversation is told of leaves no notification, in 24 interleavings', async () => {
  const person = await newColleague();
  const schedules: Schedule[] = ([0, 1] as const).flatMap((first) =>
    [0, 2, 5, 8].flatMap((some) => [3, 6, 20].map((others) => inTurns(first, some, others))),
  );
  expect(schedules).toHaveLength(24);
  const told = new Set<boolean>();
  for (const schedule of schedules) {
    const since = after(new Date(), -second);
    const call = await calls.answered();
    await assign(call.conversationId, [person]);
    const [discarded] = await interleaved(table, schedule, [
      () => calls.discard(call._id),
      () => notifier.take(new Date(), since),
    ]);
    expect(discarded.status).toBe(200);
    await notifier.take(new Date(), since);
    const about = notifier.events().filter(({ data }) => data.conversationId === call.conversationId);
    expect(about.map(({ event }) => event)).toContain('contact_updated');
    told.add(about.some(({ event }) => event === 'notification_created'));
    expect(await typesOf(person)).toEqual([]);
    expect(await countUnread(product, person)).toBe(0);
  }
  // Both ways: somebody was told before the discard, or nobody at all.
  expect([...told].sort()).toEqual([false, true]);
});
