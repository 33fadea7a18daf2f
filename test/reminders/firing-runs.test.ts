import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { childId, contactKey } from '../../shared/contacts/contact.ts';
import { day, hour, hourOf, minute, startOf, timestamp } from '../../shared/kernel/time.ts';
import { creatingSteps } from '../../shared/reminders/reminder.ts';
import { type FaultyTable, faultyTable, replyLost, timedOut } from '../contacts/faulty-table.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';
import { countOf, everyNotificationOf } from '../notifications/inbox.ts';
import { later, type Reminding, startReminding } from './reminding.ts';

let reminding: Reminding;
let faults: FaultyTable;
beforeAll(async () => {
  reminding = await startReminding();
  faults = faultyTable();
});
afterEach(() => faults.clear());
afterAll(async () => {
  faults.restore();
  await reminding.product.stop();
});

/** A user with a contact. */
async function newMaker(): Promise<Person & { contactId: string }> {
  const maker = await reminding.product.newColleague(reminding.world.admin);
  const { token } = maker;
  const answer = await reminding.product.call('create-contact', { token, body: { firstName: 'Ada' } });
  return { ...maker, contactId: expectStatus(answer, 201).data._id };
}

const remind = (maker: Person & { contactId: string }, at: Date, note?: string) =>
  reminding.remind(maker, maker.contactId, at, note);

/** Many reminders at once, as the operation writes them one by one. */
async function remindOften(maker: Person & { contactId: string }, count: number, at: Date): Promise<void> {
  const { table, moment } = reminding.product.tableOf(maker.organizationId);
  const { contactId, userId: createdBy } = maker;
  const createdAt = timestamp(moment.now);
  const steps = Array.from({ length: count }, (_, number) =>
    creatingSteps(
      { table, platform: reminding.platform },
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
  for (let start = 0; start < steps.length; start += 99) {
    await table.commit(steps.slice(start, start + 99));
  }
}

/** What a maker was told of, each reminder by its note, the latest first. */
const told = async (maker: Person) =>
  (await everyNotificationOf(reminding.product, maker, { limit: '100' })).map(({ message }) => message);
const firedOf = async (maker: Person) =>
  (await reminding.remindersOf(maker)).filter(({ fired }) => fired).length;

describe('Runs', () => {
  it('that overlap fire a reminder once', async () => {
    const maker = await newMaker();
    const at = reminding.nextTime();
    for (const note of ['One', 'Two', 'Three']) {
      await remind(maker, at, note);
    }
    const lines = await Promise.all([0, 1, 2].map((second) => reminding.run(later(at, second * 1_000))));
    const notified = lines.reduce((sum, line) => sum + Number(line.notified), 0);
    expect(notified).toBe(3);
    expect((await told(maker)).sort()).toEqual(['One', 'Three', 'Two']);
    expect(await countOf(reminding.product, maker)).toBe(3);
    expect(await reminding.eventsAt(maker.organizationId, at)).toHaveLength(3);
    expect(await reminding.waitingAt(at)).toBe(0);
  });

  it('that meet the deletion of a reminder leave nothing of it behind', async () => {
    const maker = await newMaker();
    const { token } = maker;
    const at = reminding.nextTime();
    for (let round = 0; round < 10; round += 1) {
      const { _id: id } = await remind(maker, at);
      await Promise.all([
        reminding.run(at),
        reminding.product.call('delete-reminder', { token, path: { id } }),
      ]);
    }
    expect(await reminding.remindersOf(maker)).toEqual([]);
    expect(await reminding.waitingAt(at)).toBe(0);
  });

  it('that meet the maker marking everything as read count what they add', async () => {
    const maker = await newMaker();
    const { token } = maker;
    const at = reminding.nextTime();
    await remindOften(maker, 30, at);
    await Promise.all([
      reminding.run(at),
      ...Array.from({ length: 10 }, () => reminding.product.call('mark-all-notifications-read', { token })),
    ]);
    const unread = await everyNotificationOf(reminding.product, maker, { unread: 'true', limit: '100' });
    expect(await told(maker)).toHaveLength(30);
    expect(await countOf(reminding.product, maker)).toBe(unread.length);
  });

  it('that end in the middle, before or after the reminder has fired, are made good by the next', async () => {
    const maker = await newMaker();
    const at = reminding.nextTime();
    await remind(maker, at, 'Before');
    faults.always('TransactWriteItemsCommand', timedOut);
    await expect(reminding.run(at)).rejects.toThrow('fire-due-reminders could not do all of its work');
    expect(await firedOf(maker)).toBe(0);
    faults.clear();

    await remind(maker, at, 'After');
    faults.always('PutItemCommand', timedOut);
    await expect(reminding.run(later(at, 2 * hour))).rejects.toThrow('could not do all of its work');
    expect(await firedOf(maker)).toBe(2);
    faults.clear();
    await reminding.run(later(at, 2 * hour + minute));
    expect((await told(maker)).sort()).toEqual(['After', 'Before']);
    expect(await countOf(reminding.product, maker)).toBe(2);
  });

  it('to which the reply of the database is lost fire a reminder once', async () => {
    const maker = await newMaker();
    const at = reminding.nextTime();
    await remind(maker, at);
    faults.next('TransactWriteItemsCommand', replyLost);
    await reminding.run(at);
    await reminding.run(later(at, minute));
    expect(await told(maker)).toHaveLength(1);
    expect(await countOf(reminding.product, maker)).toBe(1);
  });

  it('make up for an hour in which there was none', async () => {
    const maker = await newMaker();
    const at = reminding.nextTime();
    await reminding.run(later(at, -minute));
    for (const late of [0, 20 * minute, 59 * minute]) {
      await remind(maker, later(at, late), `${late / minute}`);
    }
    await reminding.run(later(at, 75 * minute));
    expect((await told(maker)).sort()).toEqual(['0', '20', '59']);
  });

  it('make up for weeks, what is due now first', async () => {
    const maker = await newMaker();
    const at = reminding.nextTime();
    await reminding.run(at);
    const now = reminding.nextTime(20);
    for (const ago of [19, 9, 5]) {
      await remind(maker, later(now, -ago * day), `${ago} days`);
    }
    await remind(maker, now, 'now');
    const seen: string[][] = [];
    for (let run = 0; run < 3; run += 1) {
      await reminding.run(later(now, run * minute));
      seen.push((await told(maker)).sort());
    }
    expect(seen).toEqual([
      ['19 days', 'now'],
      ['19 days', '9 days', 'now'],
      ['19 days', '5 days', '9 days', 'now'],
    ]);
  });

  it('fire a reminder for the end of an hour that is filed after the hour is over', async () => {
    const maker = await newMaker();
    const start = startOf(hourOf(reminding.nextTime()));
    await reminding.run(later(start, -minute));
    await reminding.run(later(start, 5_000));
    await remind(maker, later(start, -1), 'Filed late');
    await reminding.run(later(start, 65_000));
    expect(await told(maker)).toEqual(['Filed late']);
  });

  it('fire 500 reminders that one user has for the same minute little by little, each once, and hold up nobody else', async () => {
    const [maker, other] = [await newMaker(), await newMaker()];
    const at = reminding.nextTime();
    await remindOften(maker, 500, at);
    await remind(other, later(at, 1));
    await reminding.run(later(at, minute));
    expect([await firedOf(maker), await firedOf(other)]).toEqual([100, 1]);
    const notified: unknown[] = [];
    for (let run = 2; run <= 6; run += 1) {
      notified.push((await reminding.run(later(at, run * minute))).notified);
    }
    expect(notified).toEqual([100, 100, 100, 100, 0]);
    expect(new Set(await told(maker)).size).toBe(500);
    expect(await countOf(reminding.product, maker)).toBe(500);
    expect(await reminding.waitingAt(at)).toBe(0);
  });

  it('fire at most 500 reminders each, the earliest first, and look at the rest in the next', async () => {
    const makers = await Promise.all(Array.from({ length: 6 }, newMaker));
    const at = reminding.nextTime();
    for (const [index, maker] of makers.entries()) {
      await remindOften(maker, 90, later(at, index));
    }
    expect(await reminding.run(later(at, minute))).toMatchObject({ notified: 500 });
    expect(await Promise.all(makers.map(firedOf))).toEqual([90, 90, 90, 90, 90, 50]);
    expect(await reminding.run(later(at, 2 * minute))).toMatchObject({ notified: 40 });
    expect(await Promise.all(makers.map(firedOf))).toEqual([90, 90, 90, 90, 90, 90]);
  });

  it('go on past a reminder that cannot be fired, fail loudly, and fire it when that is mended', async () => {
    const [broken, other] = [await newMaker(), await newMaker()];
    const at = reminding.nextTime();
    await remind(broken, at);
    const { table } = reminding.product.tableOf(broken.organizationId);
    const contact = await table.read(contactKey(broken.contactId));
    await table.commit([table.put(contactKey(broken.contactId), {} as never)]);
    await remind(other, later(at, 1));
    await expect(reminding.run(later(at, minute))).rejects.toThrow('could not do all of its work');
    expect(await told(other)).toHaveLength(1);

    const next = later(at, 3 * hour);
    await remind(other, next);
    await expect(reminding.run(next)).rejects.toThrow('could not do all of its work');
    expect(await told(other)).toHaveLength(2);

    await table.commit([table.put(contactKey(broken.contactId), contact?.data as never)]);
    await reminding.run(later(next, minute));
    expect(await told(broken)).toHaveLength(1);
    expect(await told(other)).toHaveLength(2);
  });
});
