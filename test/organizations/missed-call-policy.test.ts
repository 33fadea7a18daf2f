import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, outcome } from '../harness/world.ts';
import { organizationsClient, problem } from './client.ts';
import { organizationEach } from './each.ts';

const product = await setUpProduct();
const own = organizationEach(product);
const { client } = own;

const put = (body: unknown) => client('update-missed-call-policy', body);
const read = async () => expectStatus(await client('read-missed-call-policy'), 200);
const initial = {
  sendWhen: 'always',
  otherwise: 'skip',
  cooldownMinutes: 60,
  remind: false,
  notify: true,
};

test('The missed-call policy that nobody has set: “defaults `always, skip, 60, false, true`”', async () => {
  expect(await read()).toEqual({ success: true, data: initial });
  expect(Object.keys((await read()).data)).toEqual(Object.keys(initial));
});

test('The missed-call policy is updated in part; an empty body changes nothing', async () => {
  const changed = { ...initial, sendWhen: 'business_hours', otherwise: 'at_opening', remind: true };
  const response = await put({ sendWhen: 'business_hours', otherwise: 'at_opening', remind: true });
  expect(outcome(response)).toEqual({ status: 200, body: { success: true, data: changed } });
  expect((await put({})).body.data).toEqual(changed);
  expect((await put({ cooldownMinutes: 0, notify: false })).body.data).toEqual({
    ...changed,
    cooldownMinutes: 0,
    notify: false,
  });
  expect((await read()).data).toEqual({ ...changed, cooldownMinutes: 0, notify: false });
});

test.each([
  ['sendWhen', 'never', 'must be one of always, business_hours, outside_business_hours'],
  ['otherwise', 'later', 'must be skip or at_opening'],
  ['cooldownMinutes', -1, 'must be at least 0'],
  ['cooldownMinutes', 43_201, 'must be at most 43200'],
  ['cooldownMinutes', 1.5, 'must be a whole number'],
  ['cooldownMinutes', '60', 'must be a number'],
  ['remind', 'yes', 'must be true or false'],
  ['notify', 1, 'must be true or false'],
])('The missed-call policy refuses %s: %s', async (field, value, text) => {
  expect(outcome(await put({ [field]: value }))).toEqual(problem(400, 'Invalid request', `${field} ${text}`));
  expect((await read()).data).toEqual(initial);
});

test('The missed-call policy takes the longest cool-down, and keeps both of two changes at once', async () => {
  const other = organizationsClient(product, await product.newColleague(own.admin, 'ADMIN'));
  await Promise.all([
    put({ cooldownMinutes: 43_200 }),
    other('update-missed-call-policy', { sendWhen: 'business_hours' }),
  ]);
  expect((await read()).data).toEqual({ ...initial, cooldownMinutes: 43_200, sendWhen: 'business_hours' });
});
