import { afterEach, expect, test } from 'vitest';
import { contactKey } from '../../shared/contacts/contact.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import { hour, minute, timestamp } from '../../shared/kernel/time.ts';
import { newReminderActions } from '../../shared/notes/reminder.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus } from '../harness/tenants.ts';
import { countUnread, readEveryNotification } from '../notifications/client.ts';
import { later, reminderRuns } from './reminder-runs.ts';

const { product, admin } = await setUpTenants();
const { platform, nextTime, remind, run, remindersOf, waitingAt } = reminderRuns(product);
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

/** The reminders that a maker was told of, each by its note, the latest first. */
const told = async (maker: Person) =>
  (await readEveryNotification(product, maker, { limit: '100' })).map(({ message }) => message);

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
