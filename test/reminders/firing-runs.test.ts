import { afterEach, expect, test } from 'vitest';
import { childId, contactKey } from '../../shared/contacts/contact.ts';
import { day, hour, minute, timestamp } from '../../shared/kernel/time.ts';
import { newReminderActions } from '../../shared/notes/reminder.ts';
import { replyLost, timedOut } from '../contacts/faulty-table.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { startOfHour } from '../harness/start-of-hour.ts';
import { expectStatus } from '../harness/tenants.ts';
import { countUnread, readEveryNotification } from '../notifications/client.ts';
import { later, reminderRuns } from './reminder-runs.ts';

const { product, admin } = await setUpTenants();
const { platform, nextTime, remind, run, remindersOf, eventsAt, waitingAt } = reminderRuns(product);
const faults = setUpFaultyTable();
afterEach(() => faults.clear());

/** A user with a contact. */
async function newMaker(): Promise<Person & { contactId: string }> {
  const maker = await product.newColleague(admin);
  const { token } = maker;
  const response = await product.call('create-contact', { token, body: { firstName: 'Ada' } });
  return { ...maker, contactId: expectStatus(response, 201).data._id };
}

const remindMaker = (maker: Person & { contactId: string }, at: Date, note?: string) =>
  remind(maker, maker.contactId, at, note);

/** Many reminders at once, as the operation writes them one by one. */
async function remindOften(maker: Person & { contactId: string }, count: number, at: Date): Promise<void> {
  const { table, moment } = product.tableOf(maker.organizationId);
  const { contactId, userId: createdBy } = maker;
  const createdAt = timestamp(moment.now);
  const actions = Array.from({ length: count }, (_, number) =>
    newReminderActions(
      { table, platform: platform },
      {
        _id: childId(contactId, moment.newId()),
        contactId,
        createdBy,
        note: `Note ${number}`,
        remindAt: timestamp(at),
        fired: false,
        createdAt,
        updatedAt: createdAt,
      },
    ),
  ).flat();
  for (let start = 0; start < actions.length; start += 99) {
    await table.commit(actions.slice(start, start + 99));
  }
}

/** What a maker was told of, each reminder by its note, the latest first. */
const told = async (maker: Person) =>
  (await readEveryNotification(product, maker, { limit: '100' })).map(({ message }) => message);
const firedOf = async (maker: Person) => (await remindersOf(maker)).filter(({ fired }) => fired).length;

test('Runs that overlap fire a reminder once', async () => {
  const maker = await newMaker();
  const at = nextTime();
  for (const note of ['One', 'Two', 'Three']) {
    await remindMaker(maker, at, note);
  }
  const runs = await Promise.all([0, 1, 2].map((second) => run(later(at, second * 1_000))));
  const notified = runs.reduce((sum, one) => sum + one.notified, 0);
  expect(notified).toBe(3);
  expect((await told(maker)).sort()).toEqual(['One', 'Three', 'Two']);
  expect(await countUnread(product, maker)).toBe(3);
  expect(await eventsAt(maker.organizationId, at)).toHaveLength(3);
  expect(await waitingAt(at)).toBe(0);
});

test('Runs that meet the deletion of a reminder leave nothing of it behind', async () => {
  const maker = await newMaker();
  const { token } = maker;
  const at = nextTime();
  for (let round = 0; round < 10; round += 1) {
    const { _id: id } = await remindMaker(maker, at);
    await Promise.all([run(at), product.call('delete-reminder', { token, path: { id } })]);
  }
  expect(await remindersOf(maker)).toEqual([]);
  expect(await waitingAt(at)).toBe(0);
  expect(await told(maker)).toEqual([]);
  expect(await countUnread(product, maker)).toBe(0);
});

test('Runs that meet the maker marking everything as read count what they add', async () => {
  const maker = await newMaker();
  const { token } = maker;
  const at = nextTime();
  await remindOften(maker, 30, at);
  await Promise.all([
    run(at),
    ...Array.from({ length: 10 }, () => product.call('mark-all-notifications-read', { token })),
  ]);
  const unread = await readEveryNotification(product, maker, { unread: 'true', limit: '100' });
  expect(await told(maker)).toHaveLength(30);
  expect(await countUnread(product, maker)).toBe(unread.length);
});

test('Runs that end in the middle, before or after the reminder has fired, are made good by the next', async () => {
  const maker = await newMaker();
  const at = nextTime();
  await remindMaker(maker, at, 'Before');
  faults.always('TransactWriteItemsCommand', timedOut);
  await expect(run(at)).rejects.toThrow('run-due-operations could not do all of its work');
  expect(await firedOf(maker)).toBe(0);
  faults.clear();

  await run(later(at, minute));
  expect(await told(maker)).toEqual(['Before']);

  await remindMaker(maker, at, 'After');
  faults.always('TransactWriteItemsCommand', async (next) => {
    await next();
    throw Object.assign(new Error('Connection timed out'), { name: 'TimeoutError' });
  });
  expect(await run(later(at, 2 * hour))).toMatchObject({ notified: 0, repeated: 1 });
  expect(await firedOf(maker)).toBe(2);
  faults.clear();
  await run(later(at, 2 * hour + minute));
  expect((await told(maker)).sort()).toEqual(['After', 'Before']);
  expect(await countUnread(product, maker)).toBe(2);
});

test('Runs to which the reply of the database is lost fire a reminder once', async () => {
  const maker = await newMaker();
  const at = nextTime();
  await remindMaker(maker, at);
  faults.next('TransactWriteItemsCommand', replyLost);
  await run(at);
  await run(later(at, minute));
  expect(await told(maker)).toHaveLength(1);
  expect(await countUnread(product, maker)).toBe(1);
});

test('Runs make up for an hour in which there was none', async () => {
  const maker = await newMaker();
  const at = nextTime();
  await run(later(at, -minute));
  for (const late of [0, 20 * minute, 59 * minute]) {
    await remindMaker(maker, later(at, late), `${late / minute}`);
  }
  await run(later(at, 75 * minute));
  expect((await told(maker)).sort()).toEqual(['0', '20', '59']);
});

test('Runs make up for weeks', async () => {
  const maker = await newMaker();
  const at = nextTime();
  await run(at);
  const now = nextTime(20);
  for (const ago of [19, 9, 5]) {
    await remindMaker(maker, later(now, -ago * day), `${ago} days`);
  }
  await remindMaker(maker, now, 'now');
  await run(now);
  expect((await told(maker)).sort()).toEqual(['19 days', '5 days', '9 days', 'now']);
});

test('Runs fire a reminder for the end of an hour that is filed after the hour is over', async () => {
  const maker = await newMaker();
  const start = startOfHour(nextTime());
  await run(later(start, -minute));
  await run(later(start, 5_000));
  await remindMaker(maker, later(start, -1), 'Filed late');
  await run(later(start, 65_000));
  expect(await told(maker)).toEqual(['Filed late']);
});

test('Runs fire 250 reminders that one user has for the same minute in one run, each once, and hold up nobody else', async () => {
  const [maker, other] = [await newMaker(), await newMaker()];
  const at = nextTime();
  await remindOften(maker, 250, at);
  await remindMaker(other, later(at, 1));
  await run(later(at, minute));
  expect([await firedOf(maker), await firedOf(other)]).toEqual([250, 1]);
  expect((await run(later(at, 2 * minute))).notified).toBe(0);
  expect(new Set(await told(maker)).size).toBe(250);
  expect(await countUnread(product, maker)).toBe(250);
  expect(await waitingAt(at)).toBe(0);
});

test('Runs fire hundreds of reminders of many users at once', async () => {
  const makers = await Promise.all(Array.from({ length: 6 }, newMaker));
  const at = nextTime();
  for (const [index, maker] of makers.entries()) {
    await remindOften(maker, 90, later(at, index));
  }
  expect(await run(later(at, minute))).toMatchObject({ notified: 540 });
  expect(await waitingAt(at)).toBe(0);
});

test('Runs go on past a reminder that cannot be fired, fail loudly, and fire it when that is fixed', async () => {
  const [broken, other] = [await newMaker(), await newMaker()];
  const at = nextTime();
  await remindMaker(broken, at);
  const { table } = product.tableOf(broken.organizationId);
  const contact = await table.read(contactKey(broken.contactId));
  await table.commit([table.put(contactKey(broken.contactId), {} as never)]);
  await remindMaker(other, later(at, 1));
  await expect(run(later(at, minute))).rejects.toThrow('could not do all of its work');
  expect(await told(other)).toHaveLength(1);

  const next = later(at, 3 * hour);
  await remindMaker(other, next);
  await expect(run(next)).rejects.toThrow('could not do all of its work');
  expect(await told(other)).toHaveLength(2);

  await table.commit([table.put(contactKey(broken.contactId), contact?.data as never)]);
  await run(later(next, minute));
  expect(await told(broken)).toHaveLength(1);
  expect(await told(other)).toHaveLength(2);
});
