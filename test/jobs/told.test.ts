import { expect, test } from 'vitest';
import { eventKey, type StoredEvent } from '../../shared/events/outbox.ts';
import { hiddenEvents } from '../../shared/jobs/hidden-events.ts';
import { hoursBetween, utcHour } from '../../shared/kernel/time.ts';
import { contactsClient } from '../contacts/client.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { readNotifications } from '../notifications/client.ts';
import { jobsClient } from './jobs-client.ts';

const { product, admin, rep, otherRep, head, newContact } = await setUpTenants();
const { change, end } = jobsClient(product);
const contacts = contactsClient(product, rep);
const stream = await tableStream(product);
const since = new Date();

/** All events of the organization that a job has written, the oldest first. */
async function eventsOfJob(jobId: string): Promise<StoredEvent[]> {
  const { table } = product.tableOf(rep.organizationId);
  const hours = hoursBetween(since, new Date());
  const found = await Promise.all(
    [...new Set([...hours, utcHour(new Date())])].map((hour) =>
      table.list<StoredEvent>({ partition: eventKey(hour, '-').partition }),
    ),
  );
  return found.flat().flatMap(({ data }) => (data.jobId === jobId ? [data] : []));
}

test('Each person is told once of all contacts that a job has assigned to them, with their number', async () => {
  const ids = await Promise.all([1, 2, 3].map(async () => (await newContact())._id));
  await contacts.update(ids[0] ?? '', { assignees: [head.userId] });
  await stream.settle();
  const earlier = (await readNotifications(product, head)).data.length;
  const body = { ids, change: { owner: otherRep.userId, addAssignees: [head.userId], stage: 'Contacted' } };
  const job = await end(rep, await change(rep, body));
  expect(job.counts.updated).toBe(3);
  await stream.settle();

  const told = async (person: typeof rep) =>
    (await readNotifications(product, person)).data.map(({ type, title, count, contactId }) => ({
      ...{ type, title, count, contactId },
    }));
  const [name] = (await told(otherRep)).map(({ title }) => title.replace(/ assigned.*/, ''));
  expect(await told(otherRep)).toEqual([
    { type: 'assignment', title: `${name} assigned 3 contacts to you`, count: 3, contactId: undefined },
  ]);
  const ofHead = await told(head);
  expect(ofHead).toHaveLength(earlier + 1);
  expect(ofHead[0]).toMatchObject({ title: `${name} assigned 2 contacts to you`, count: 2 });
  expect(await told(rep)).toEqual([]);
});

test('A dry run tells nobody of contacts that it would assign to them', async () => {
  const ids = await Promise.all(Array.from({ length: 25 }, async () => (await newContact())._id));
  const earlier = (await readNotifications(product, head)).data.length;
  const body = { ids, change: { addAssignees: [head.userId] }, dryRun: true };
  const job = await end(rep, await change(rep, body));
  expect(job.counts.updated).toBe(25);
  await stream.settle();
  expect((await readNotifications(product, head)).data).toHaveLength(earlier);
  // Nor does it tell anybody to load again what has not changed.
  expect((await eventsOfJob(job._id)).filter(({ data }) => data.changed === true)).toEqual([]);
});

test('Events of a job come from its creator and name the job; sockets get 20 in a second and are told of the others', async () => {
  const ids = await Promise.all(Array.from({ length: 60 }, async () => (await newContact())._id));
  const job = await end(admin, await change(admin, { ids, change: { addTags: ['many'] } }));
  const events = await eventsOfJob(job._id);
  const updates = events.filter(({ event }) => event === 'contact_updated');
  expect(updates.map(({ data }) => data.contactId).sort()).toEqual([...ids].sort());
  expect(new Set(updates.map(({ actor }) => JSON.stringify(actor)))).toEqual(
    new Set([JSON.stringify({ type: 'user', id: admin.userId })]),
  );
  const shown = updates.filter(({ isQuiet }) => !isQuiet).map(({ at }) => Date.parse(at));
  for (const time of shown) {
    expect(shown.filter((other) => other >= time && other < time + 900).length).toBeLessThanOrEqual(20);
  }
  expect(shown.length).toBeLessThan(updates.length);
  const told = events.filter(({ data }) => data.changed === true);
  expect(told.length).toBeGreaterThan(0);
  expect((told.at(-1)?.id ?? '') > (updates.findLast(({ isQuiet }) => isQuiet)?.id ?? '')).toBe(true);
  expect(told[0]?.audience).toEqual({ kind: 'record', people: [rep.userId] });
});

test('The log has every event of a job, also those that sockets do not get', async () => {
  const ids = await Promise.all(Array.from({ length: 30 }, async () => (await newContact())._id));
  const job = await end(admin, await change(admin, { ids, change: { addTags: ['all'] } }));
  await stream.settle();
  const written = (await eventsOfJob(job._id)).filter(({ event }) => event === 'contact_updated');
  expect(written.some(({ isQuiet }) => isQuiet)).toBe(true);
  const query = { entity: 'contact', limit: '100' };
  const { data } = (await product.call('list-event-logs', { token: admin.token, query })).body;
  const logged = data.map(({ _id }: { readonly _id: string }) => _id);
  expect(written.filter(({ id }) => !logged.includes(id))).toEqual([]);
});

test('Hidden events are told once a second, to all who may see one of them, and the rest at the end', () => {
  let time = 0;
  const hidden = hiddenEvents(() => time);
  const by = (userId: string) => ({ kind: 'record', people: [userId] }) as const;
  const hide = (userId: string, count: number) =>
    Array.from({ length: count }, () => hidden.hides(by(userId))).filter(Boolean).length;
  expect(hide('a', 25)).toBe(5);
  expect(hidden.take()).toBeUndefined();
  time = 999;
  expect(hide('b', 2)).toBe(2);
  time = 1_000;
  expect(hidden.take()).toEqual({ kind: 'record', people: ['a', 'b'] });
  expect(hidden.take()).toBeUndefined();
  expect(hide('c', 21)).toBe(1);
  expect(hidden.take()).toBeUndefined();
  expect(hidden.takeRest()).toEqual(by('c'));
  expect(hidden.takeRest()).toBeUndefined();
  hidden.note(by('d'));
  hidden.note({ kind: 'organization' });
  expect(hidden.takeRest()).toEqual({ kind: 'organization' });
});
