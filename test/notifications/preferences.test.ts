import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, failure, outcome } from '../harness/tenants.ts';

const { product, admin } = await setUpTenants();

/** Source: decisions 10, "Notification preferences": all true at first. */
const atFirst = {
  mentions: true,
  reminders: true,
  messages: true,
  assignments: true,
  calls: true,
  campaigns: true,
  automationTriggers: true,
  escalations: true,
  emailSync: true,
  aiResponses: true,
  other: true,
};

const newColleague = () => product.newColleague(admin);
const read = ({ token }: Person) => product.call('read-notification-preferences', { token });
const update = ({ token }: Person, body: unknown) =>
  product.call('update-notification-preferences', { token, body });

test('Notification preferences are eleven booleans, all true at first', async () => {
  const { status, body } = await read(await newColleague());
  expect({ status, body }).toEqual({ status: 200, body: { success: true, data: atFirst } });
  expect(Object.keys(body.data)).toEqual(Object.keys(atFirst));
});

test('Notification preferences are changed in part: missing keys stay; the response is {success, message, data} with all of them', async () => {
  const user = await newColleague();
  expect(outcome(await update(user, { mentions: false, other: false }))).toEqual({
    status: 200,
    body: {
      success: true,
      message: 'Notification preferences updated',
      data: { ...atFirst, mentions: false, other: false },
    },
  });
  const second = await update(user, { mentions: true, calls: false });
  expect(second.body.data).toEqual({ ...atFirst, calls: false, other: false });
  expect((await read(user)).body.data).toEqual(second.body.data);
  expect((await update(user, {})).body.data).toEqual(second.body.data);
});

test.each<[Record<string, unknown>, string]>([
  [{ mentions: 'false' }, 'mentions must be true or false'],
  [{ mentions: 0 }, 'mentions must be true or false'],
  [{ other: {} }, 'other must be true or false'],
  [{ mentions: false, sms: 'no' }, 'sms must be true or false'],
  [{ _id: 'x' }, '_id must be true or false'],
  [
    Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`own ${index}`, true])),
    'body must not have more than 50 other keys, nor one of more than 200 characters',
  ],
  [
    { ['x'.repeat(201)]: true },
    'body must not have more than 50 other keys, nor one of more than 200 characters',
  ],
])('Notification preferences cannot be %j: 400, and nothing changes', async (body, message) => {
  const user = await newColleague();
  expect(outcome(await update(user, body))).toEqual(failure(400, message));
  expect((await read(user)).body.data).toEqual(atFirst);
});

/** Decisions 10: missing keys stay; other keys with a boolean are kept; `null` counts as absent; anything else 400. */
test('Notification preferences under other keys are kept, and null counts as absent', async () => {
  const user = await newColleague();
  const own = { desktopBanner: false, 'odd key #1': true, constructor: false };
  const { status, body } = await update(user, { ...own, calls: false, mentions: null, absent: null });
  expect({ status, data: body.data }).toEqual({ status: 200, data: { ...atFirst, ...own, calls: false } });
  expect((await update(user, { desktopBanner: true })).body.data).toEqual({
    ...body.data,
    desktopBanner: true,
  });
  expect((await update(user, { calls: true, desktopBanner: null })).body.data).toEqual({
    ...atFirst,
    ...own,
    desktopBanner: true,
  });
});

test("Notification preferences are each user's own", async () => {
  const [one, other] = await Promise.all([newColleague(), newColleague()]);
  await arrange(update(one, { campaigns: false }));
  expect((await read(other)).body.data).toEqual(atFirst);
  expect((await read(admin)).body.data).toEqual(atFirst);
});

test('Notification preferences changed one by one at the same time, under known and other keys, all hold', async () => {
  const user = await newColleague();
  const kinds = [...Object.keys(atFirst), ...Array.from({ length: 10 }, (_, index) => `own ${index}`)];
  await Promise.all(kinds.map((kind) => update(user, { [kind]: false })));
  const all = Object.fromEntries(kinds.map((kind) => [kind, false]));
  expect((await read(user)).body.data).toEqual(all);
});
