import { afterEach, expect, test } from 'vitest';
import { contactKey } from '../../shared/contacts/contact.ts';
import { sendDueMessage } from '../../shared/events/due-message.ts';
import { after, hour, minute, second } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { reminderRuns } from '../reminders/reminder-runs.ts';
import { deliver, inARow, prepareRuns } from '../workflows/advancing.ts';

const tenants = await setUpTenants();
const { product, admin, rep, newContact } = tenants;
const queue = product.queues.workflowRuns;
const runs = await prepareRuns(tenants);
const clock = reminderRuns(product);

/** What time it is for the stream and the queue. */
let time = new Date();
const stream = await tableStream(product, undefined, () => time);
const call = (name: string, more: object = {}) => product.call(name, { token: rep.token, at: time, ...more });

afterEach(async () => {
  await stream.settle();
  queue.take();
});

/** Delivers what the queue has for the next so many seconds, each message at its second; the clock does not run. */
async function letPass(seconds: number): Promise<void> {
  const begin = time;
  for (let passed = 0; passed <= seconds; passed += 1) {
    time = after(begin, passed * second);
    for (;;) {
      await stream.settle();
      const messages = due(begin);
      if (messages.length === 0) {
        break;
      }
      await deliver(messages, time, runs.providers);
    }
  }
}

const sentAt = new WeakMap<object, Date>();

/** Takes the messages whose delay is over. */
function due(begin: Date) {
  for (const message of queue.waiting) {
    sentAt.set(message, sentAt.get(message) ?? time);
  }
  return queue.take((message) => after(sentAt.get(message) ?? begin, message.delay) <= time);
}

test('Of 100 runs that are started together, with the settings as they are, the last one is done within 15 seconds', async () => {
  const { _id: id } = await runs.newWorkflow(inARow([{ type: 'addTags', data: { tags: ['done'] } }]));
  const contactIds = (await Promise.all(Array.from({ length: 100 }, () => newContact()))).map(
    ({ _id }) => _id,
  );
  await stream.settle();
  queue.take();
  time = new Date();
  const { data } = expectStatus(await call('run-workflow', { path: { id }, body: { contactIds } }), 201);
  expect(data.runs).toHaveLength(100);
  const statuses = async () => {
    const found = await Promise.all(data.runs.map(({ runId }: { runId: string }) => runs.run(runId)));
    return Map.groupBy(found, (run) => run?.status);
  };
  await letPass(0);
  expect((await statuses()).get('finished')).toHaveLength(50);
  await letPass(15);
  expect([...(await statuses()).keys()]).toEqual(['finished']);
});

test('A wait of 20 seconds takes 20 seconds, and what follows it happens once', async () => {
  const workflow = await runs.newWorkflow(
    inARow([
      { type: 'delay', data: { value: 20, unit: 'seconds' } },
      { type: 'addNote', data: { note: 'Done' } },
    ]),
  );
  const { _id: contactId } = await newContact();
  time = new Date();
  const runId = await runs.start(workflow, contactId, { at: time });
  await letPass(19);
  expect(await runs.run(runId)).toMatchObject({ status: 'waiting', steps: 2 });
  await letPass(1);
  expect(await runs.run(runId)).toMatchObject({ status: 'finished', finishedAt: time.toISOString() });
  const steps = await runs.stepRecords(runId);
  // The clock finds what is left of the wait, and has nothing to do.
  expect(await clock.run(after(time, minute))).not.toHaveProperty('woken');
  await letPass(2);
  expect(await runs.stepRecords(runId)).toEqual(steps);
});

/** Something of the rep that is due at a time, and whether it has happened. */
const kinds: Record<string, (at: Date) => Promise<() => Promise<boolean>>> = {
  async reminder(at) {
    const { _id: contactId } = await newContact();
    const { _id } = await clock.remind(rep, contactId, at);
    return async () =>
      (await clock.remindersOf(rep)).some((reminder) => reminder._id === _id && reminder.fired);
  },
  async 'scheduled message'(at) {
    await newWebhookClient(product, admin, rep);
    const { _id: contactId } = await newContact({ phoneNumbers: [{ value: newPhoneNumber() }] });
    const body = { contactId, content: 'Now', sendAt: at.toISOString() };
    const { data } = expectStatus(await call('send-message', { body }), 201);
    const path = { id: data.conversationId };
    return async () => {
      const { body: list } = await call('list-messages', { path });
      return list.data.some(
        ({ _id, status }: Record<string, string>) => _id === data._id && status !== 'scheduled',
      );
    };
  },
};

test.each(Object.entries(kinds))('A %s happens at its second, and not before', async (_, prepare) => {
  time = new Date();
  const hasHappened = await prepare(after(time, 30 * second));
  await letPass(29);
  expect(await hasHappened()).toBe(false);
  await letPass(2);
  expect(await hasHappened()).toBe(true);
});

test('What is due within 15 minutes waits in the queue, and what is due later for the clock', async () => {
  const { _id: contactId } = await newContact();
  await stream.settle();
  queue.take();
  time = new Date();
  await clock.remind(rep, contactId, after(time, 15 * minute - 5 * second));
  await clock.remind(rep, contactId, after(time, 15 * minute + 5 * second));
  await stream.settle();
  const delays = queue.waiting.map(({ delay }) => delay);
  expect(delays).toHaveLength(1);
  expect(delays[0]).toBeLessThanOrEqual(15 * minute);
  expect(delays[0]).toBeGreaterThan(14 * minute);
});

test('What is due in hours happens at its second, too: the clock hands it over in the minute before', async () => {
  const { _id: contactId } = await newContact();
  const at = after(new Date(), 3 * hour);
  const { _id } = await clock.remind(rep, contactId, at);
  await stream.settle();
  queue.take();
  expect(await clock.run(after(at, -2 * minute))).not.toHaveProperty('handedOver');
  time = after(at, -minute);
  expect(await clock.run(time)).toMatchObject({ handedOver: 1, notified: 0 });
  await letPass(59);
  const isFired = async () => (await clock.remindersOf(rep)).find((reminder) => reminder._id === _id)?.fired;
  expect(await isFired()).toBe(false);
  await letPass(1);
  expect(await isFired()).toBe(true);
});

test('While the queue takes nothing, what is due waits for the clock, which goes on without it', async () => {
  const { _id: contactId } = await newContact();
  const at = after(new Date(), 5 * hour);
  await clock.remind(rep, contactId, at);
  await stream.settle();
  queue.take();
  queue.behave('refuses');
  expect(await clock.run(after(at, -minute))).toMatchObject({ notHandedOver: 1 });
  queue.behave('takes');
  expect(await clock.run(at)).toMatchObject({ notified: 1 });
});

test('A message that comes twice, too late or too early does what is due once, at its time', async () => {
  const { _id: contactId } = await newContact();
  const at = after(new Date(), 7 * hour);
  const { _id } = await clock.remind(rep, contactId, at);
  await stream.settle();
  queue.take();
  const [entry] = (await clock.waitingUntil(at)).filter(({ id }) => id === _id);
  if (entry === undefined) {
    throw new Error('The reminder has no entry');
  }
  await sendDueMessage(queue, entry, at);
  const messages = queue.take();
  // A machine whose clock is behind.
  expect(await deliver(messages, after(at, -1.5 * second), runs.providers)).toEqual([]);
  expect(queue.take().map(({ delay }) => delay)).toEqual([2 * second]);
  expect(await deliver([...messages, ...messages], at, runs.providers)).toEqual([]);
  expect(await deliver(messages, after(at, minute), runs.providers)).toEqual([]);
  expect(await clock.run(at)).toMatchObject({ notified: 0 });
  expect((await clock.remindersOf(rep)).find((reminder) => reminder._id === _id)?.fired).toBe(true);
});

test('What was cancelled meanwhile does not happen', async () => {
  const { _id: contactId } = await newContact();
  time = new Date();
  const { _id: id } = await clock.remind(rep, contactId, after(time, 20 * second));
  await stream.settle();
  await arrange(call('delete-reminder', { path: { id } }));
  await letPass(25);
  expect(await clock.remindersOf(rep)).not.toContainEqual(expect.objectContaining({ _id: id }));
  expect(await runs.table.read(contactKey(contactId))).toBeDefined();
});
