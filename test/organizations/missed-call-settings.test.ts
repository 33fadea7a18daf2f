import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, outcome } from '../harness/tenants.ts';
import { organizationsClient, problem } from './client.ts';
import { organizationEach } from './each.ts';

const product = await setUpProduct();
const own = organizationEach(product);
const { client } = own;

const putMessage = (body: unknown) => client('update-missed-call-message', body);
const readMessage = async () => expectStatus(await client('read-missed-call-message'), 200);
const putPolicy = (body: unknown) => client('update-missed-call-policy', body);
const readPolicy = async () => expectStatus(await client('read-missed-call-policy'), 200);
const initialPolicy = {
  sendWhen: 'always',
  otherwise: 'skip',
  cooldownMinutes: 60,
  remind: false,
  notify: true,
};

test('The missed-call message that nobody has set is empty and not enabled; then it is exactly what was set, without an envelope', async () => {
  expect(await readMessage()).toEqual({ missedCallMessage: '', missedCallAutoMessageEnabled: false });
  const message = {
    missedCallMessage: ' Hi {{contactName}},\n we call back. ',
    missedCallAutoMessageEnabled: true,
  };
  const { status, body } = await putMessage(message);
  expect({ status, body }).toEqual({ status: 200, body: message });
  expect(Object.keys(body)).toEqual(['missedCallMessage', 'missedCallAutoMessageEnabled']);
  expect(await readMessage()).toEqual(message);
  expect(outcome(await putMessage({}))).toEqual({ status: 200, body: message });
  const cleared = { ...message, missedCallMessage: '' };
  expect((await putMessage({ missedCallMessage: '' })).body).toEqual(cleared);
});

test('The missed-call policy that nobody has set has “defaults `always, skip, 60, false, true`”, and is updated in part', async () => {
  expect(await readPolicy()).toEqual({ success: true, data: initialPolicy });
  expect(Object.keys((await readPolicy()).data)).toEqual(Object.keys(initialPolicy));
  const changed = { ...initialPolicy, sendWhen: 'business_hours', otherwise: 'at_opening', remind: true };
  const response = await putPolicy({ sendWhen: 'business_hours', otherwise: 'at_opening', remind: true });
  expect(outcome(response)).toEqual({ status: 200, body: { success: true, data: changed } });
  expect((await putPolicy({})).body.data).toEqual(changed);
  await putPolicy({ cooldownMinutes: 0, notify: false });
  expect((await readPolicy()).data).toEqual({ ...changed, cooldownMinutes: 0, notify: false });
});

test.each([
  ['message', 'missedCallMessage', 5, 'must be a string'],
  ['message', 'missedCallAutoMessageEnabled', 'yes', 'must be true or false'],
  ['policy', 'sendWhen', 'never', 'must be one of always, business_hours, outside_business_hours'],
  ['policy', 'otherwise', 'later', 'must be skip or at_opening'],
  ['policy', 'cooldownMinutes', -1, 'must be at least 0'],
  ['policy', 'cooldownMinutes', 43_201, 'must be at most 43200'],
  ['policy', 'cooldownMinutes', 1.5, 'must be a whole number'],
  ['policy', 'cooldownMinutes', '60', 'must be a number'],
  ['policy', 'remind', 'yes', 'must be true or false'],
])('The missed-call %s refuses %s: %s', async (what, field, value, text) => {
  const response = await client(`update-missed-call-${what}`, { [field]: value });
  expect(outcome(response)).toEqual(problem(400, 'Invalid request', `${field} ${text}`));
  expect((await readPolicy()).data).toEqual(initialPolicy);
});

test('The missed-call message and policy, with the longest cool-down, keep both of two changes at once', async () => {
  const other = organizationsClient(product, await product.newColleague(own.admin, 'ADMIN'));
  await Promise.all([
    putMessage({ missedCallMessage: 'Sorry' }),
    other('update-missed-call-message', { missedCallAutoMessageEnabled: true }),
    putPolicy({ cooldownMinutes: 43_200 }),
    other('update-missed-call-policy', { sendWhen: 'business_hours' }),
  ]);
  expect(await readMessage()).toEqual({ missedCallMessage: 'Sorry', missedCallAutoMessageEnabled: true });
  const policy = { ...initialPolicy, cooldownMinutes: 43_200, sendWhen: 'business_hours' };
  expect((await readPolicy()).data).toEqual(policy);
});
