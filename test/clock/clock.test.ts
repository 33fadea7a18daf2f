import { expect, test } from 'vitest';
import {
  cancelAction,
  type DueKind,
  dueKeyFor,
  duePart,
  dueParts,
  scheduleAction,
} from '../../shared/events/due-entry.ts';
import { after, day, hour, minute } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { dueEntriesClient } from './due-entries.ts';

const product = await setUpProduct();
const { platform, newUser, schedule, entry, run, act, doneFor, timeFor } = dueEntriesClient(product);

const idsOf = (entries: readonly { id: string }[]) => entries.map(({ id }) => id).sort();

let time = new Date('2030-01-01T09:30:00Z');
/** A time at which nothing is due yet. */
function nextTime(): Date {
  time = after(time, 60 * day);
  return time;
}

test('What is due is done at its time and not before', async () => {
  const [user, at] = [newUser(), nextTime()];
  const [due] = [entry(user, at)];
  await schedule([due]);
  expect(await run(after(at, -2 * minute))).toEqual({});
  expect(await run(after(at, -1))).toEqual({ handedOver: 1 });
  expect(await doneFor(user)).toEqual([]);
  expect(await run(at)).toEqual({ done: 1 });
  expect(await run(after(at, minute))).toEqual({});
  expect(await doneFor(user)).toEqual([due.id]);
});

test.each([
  ['a day', 1],
  ['three weeks', 21],
  ['a year', 365],
])('What became due while nothing ran for %s is done by the next run', async (_, days) => {
  const at = nextTime();
  await run(at);
  const end = after(at, days * day);
  time = end;
  const users = Array.from({ length: 50 }, newUser);
  const entries = users.map((user, index) => entry(user, after(at, (index / 50) * days * day + 1)));
  await schedule(entries);
  expect(await run(end)).toEqual({ done: 50 });
  for (const { group, id } of entries) {
    expect(await doneFor(group)).toEqual([id]);
  }
});

test('What became due before the first run of all is done', async () => {
  const [user, at] = [newUser(), nextTime()];
  const entries = [400, 30, 2].map((days) => entry(user, after(new Date('2029-12-31'), -days * day)));
  await schedule(entries);
  await run(at);
  expect(await doneFor(user)).toEqual(idsOf(entries));
});

test('After an outage, what is left is done little by little, the earliest first, and after what is due now', async () => {
  const now = nextTime();
  const users = Array.from({ length: 40 }, newUser);
  const left = users.map((user, index) => entry(user, after(now, (index - 50) * hour)));
  await schedule(left);
  const done = async () =>
    (await Promise.all(left.map(({ group }) => doneFor(group)))).flatMap(([id], index) =>
      id ? [index] : [],
    );
  const current = newUser();
  for (const [round, count] of [10, 20, 30].entries()) {
    const at = after(now, round * minute);
    const due = entry(current, at);
    await schedule([due]);
    // As many as run at the same time may begin before the time is over.
    await run(at, timeFor(1 + 10));
    expect(await doneFor(current)).toContain(due.id);
    const indexes = await done();
    expect(indexes).toEqual(Array.from({ length: indexes.length }, (_, index) => index));
    expect(indexes.length).toBeGreaterThanOrEqual(count);
  }
  await run(after(now, 3 * minute));
  expect(await done()).toHaveLength(40);
  expect(await run(after(now, 4 * minute))).toEqual({});
});

test('Runs that overlap do each thing once', async () => {
  const at = nextTime();
  const entries = Array.from({ length: 20 }, () => entry(newUser(), at));
  await schedule(entries);
  const figures = await Promise.all([0, 1, 2].map((second) => run(after(at, second * 1_000))));
  expect(figures.reduce((sum, { done = 0 }) => sum + done, 0)).toBe(20);
  for (const { group, id } of entries) {
    expect(await doneFor(group)).toEqual([id]);
  }
});

test('What is cancelled is not done, and what is moved is done only at its new time, even by a run that had already read it', async () => {
  const at = nextTime();
  const [cancelled, moved] = [entry(newUser(), at), entry(newUser(), at)];
  const later = { ...moved, at: after(at, hour).toISOString() };
  await schedule([cancelled, moved]);
  const figures = await run(at, {
    run: async (due, end) => {
      await platform.commit(
        due.id === moved.id
          ? [cancelAction(platform, moved), scheduleAction(platform, later)]
          : [cancelAction(platform, cancelled)],
      );
      return act(due, end);
    },
  });
  expect(figures).toEqual({ repeated: 2 });
  expect(await doneFor(moved.group)).toEqual([]);
  expect(await run(after(at, hour))).toEqual({ done: 1 });
  expect(await doneFor(moved.group)).toEqual([moved.id]);
  expect(await doneFor(cancelled.group)).toEqual([]);
});

test('More than a thousand of one user for the same moment hold up nobody else, and are done in the same run if it has time', async () => {
  const at = nextTime();
  const [user, other] = [newUser(), newUser()].sort() as [string, string];
  const many = Array.from({ length: 1_150 }, () => entry(user, at));
  await schedule(many);
  const single = entry(other, at);
  await schedule([single]);
  expect(await run(at, timeFor(100))).toEqual({ done: 100 });
  expect(await doneFor(other)).toEqual([single.id]);
  expect(await run(after(at, minute))).toEqual({ done: 1_051 });
  expect(await doneFor(user)).toHaveLength(1_150);
  expect(await run(after(at, hour))).toEqual({});
});

test('Thousands of one user, one after the other, hold up nobody who is due after them', async () => {
  const at = nextTime();
  const [user, other] = [newUser(), newUser()];
  const thousands = Array.from({ length: 5_100 }, (_, index) => entry(user, after(at, index - 5_200)));
  await schedule(thousands);
  const single = entry(other, at);
  await schedule([single]);
  await run(at, timeFor(150));
  expect(await doneFor(other)).toEqual([single.id]);
  // What was passed over, and what is due earlier, is done in turns.
  expect((await doneFor(user)).length).toBeGreaterThan(100);
  await platform.deleteMany(thousands.map(dueKeyFor));
});

test('Organizations take turns, and their users: a small one does not wait for a large one', async () => {
  const at = nextTime();
  const large = Array.from({ length: 40 }, newUser);
  const [small, quiet] = [newUser(), newUser()];
  await schedule(
    large.flatMap((user) =>
      [1, 2, 3].map((ago) => entry(user, after(at, -ago), { organizationId: 'large' })),
    ),
  );
  const others = [
    entry(small, at, { organizationId: 'small' }),
    entry(quiet, at, { organizationId: 'large' }),
  ];
  await schedule(others);
  await run(at, timeFor(3));
  expect(await doneFor(small)).toEqual([others[0]?.id]);
  await run(at, timeFor(60));
  expect(await doneFor(quiet)).toEqual([others[1]?.id]);
});

test('A kind that always fails takes no time from the others, is tried less and less often, and done once that is fixed', async () => {
  const at = nextTime();
  const broken = Array.from({ length: 30 }, () =>
    entry(newUser(), after(at, -1), { kind: 'broken' as DueKind }),
  );
  const fine = Array.from({ length: 20 }, () => entry(newUser(), at));
  await schedule([...broken, ...fine]);
  let tries = 0;
  const failing = {
    run: async (...[due, end]: Parameters<typeof act>) => {
      if (due.kind === ('broken' as DueKind)) {
        tries += 1;
        throw new Error('It is broken');
      }
      return act(due, end);
    },
  };
  await expect(run(at, failing)).rejects.toThrow('could not be done');
  for (const { group, id } of fine) {
    expect(await doneFor(group)).toEqual([id]);
  }
  // Those that were running when there were enough failures come on top.
  expect(tries).toBeLessThanOrEqual(50);

  const triesIn = async (minutes: readonly number[]) => {
    const before = tries;
    for (const late of minutes) {
      await run(after(at, late * minute), failing).catch(() => undefined);
    }
    return tries - before;
  };
  const early = await triesIn([1, 2, 3, 4, 5, 6]);
  await triesIn([9, 10, 17, 18]);
  expect(await triesIn([20, 21, 22, 23, 24, 25])).toBeLessThan(early / 4);

  expect(await run(after(at, 3 * hour))).toEqual({ done: 30 });
});

test('Something that always fails stays, is cancelled as ever, and does not keep the rest of its user', async () => {
  const at = nextTime();
  const user = newUser();
  const [bad, good] = [entry(user, at), entry(user, at)];
  await schedule([bad, good]);
  const failing = {
    run: (...[due, end]: Parameters<typeof act>) =>
      due.id === bad.id ? Promise.reject(new Error('No')) : act(due, end),
  };
  await expect(run(at, failing)).rejects.toThrow('could not be done');
  expect(await doneFor(user)).toEqual([good.id]);
  await platform.commit([cancelAction(platform, bad)]);
  expect(await run(after(at, hour))).toEqual({});
});

test('Nothing is begun for which no time is left, and the next run does it', async () => {
  const [user, at] = [newUser(), nextTime()];
  const entries = Array.from({ length: 20 }, (_, index) => entry(user, after(at, index - 20)));
  await schedule(entries);
  expect(await run(at, timeFor(5))).toEqual({ done: 5 });
  expect(await doneFor(user)).toEqual(idsOf(entries.slice(0, 5)));
  expect(await run(at, { deadline: { left: () => 999 } })).toEqual({});
  expect(await run(after(at, minute))).toEqual({ done: 15 });
});

test('Users are spread over the parts about equally', () => {
  const { newId } = product.tableOf('any').moment;
  const parts = Array.from({ length: 10_000 }, () => duePart(newId()));
  const sizes = [...Map.groupBy(parts, (one) => one).values()].map(({ length }) => length);
  expect(sizes).toHaveLength(dueParts);
  expect(Math.max(...sizes)).toBeLessThan(2_300);
});
