import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, outcome } from '../harness/world.ts';
import { organizationsClient, problem } from './client.ts';
import { organizationEach } from './each.ts';

const product = await setUpProduct();
const own = organizationEach(product);
const { client } = own;

const put = (body: unknown) => client('update-missed-call-message', body);
const read = async () => expectStatus(await client('read-missed-call-message'), 200);

test('The missed-call message that nobody has set is empty and not enabled', async () => {
  expect(await read()).toEqual({ missedCallMessage: '', missedCallAutoMessageEnabled: false });
});

test('The missed-call message is returned as exactly `{missedCallMessage, missedCallAutoMessageEnabled}`, without an envelope', async () => {
  const message = {
    missedCallMessage: ' Hi {{contactName}},\n we call back. ',
    missedCallAutoMessageEnabled: true,
  };
  const { status, body } = await put(message);
  expect({ status, body }).toEqual({ status: 200, body: message });
  expect(Object.keys(body)).toEqual(['missedCallMessage', 'missedCallAutoMessageEnabled']);
  expect(await read()).toEqual(message);
});

test('The missed-call message is updated in part; an empty text clears it, an empty body changes nothing', async () => {
  await put({ missedCallMessage: 'Sorry' });
  expect((await put({ missedCallAutoMessageEnabled: true })).body).toEqual({
    missedCallMessage: 'Sorry',
    missedCallAutoMessageEnabled: true,
  });
  expect(outcome(await put({}))).toEqual({ status: 200, body: await read() });
  expect((await put({ missedCallMessage: '' })).body).toEqual({
    missedCallMessage: '',
    missedCallAutoMessageEnabled: true,
  });
});

test.each([
  ['ASCII', 'x', ''],
  ['emoji', '😀', ''],
  ['emoji of several code points', '👩‍👩‍👧', ''],
  ['combining text, without a form of one character', 'x\u0301', ''],
  ['CJK', '語', ''],
  ['placeholders, counted before they are filled in', 'y', '{{contactName}}'],
])('The missed-call message has 500 code points at most, not 501: %s', async (_, text, start) => {
  const ofLength = (count: number) => [...(start + text.repeat(count))].slice(0, count).join('');
  expect((await put({ missedCallMessage: ofLength(500) })).body.missedCallMessage).toBe(ofLength(500));
  expect(outcome(await put({ missedCallMessage: ofLength(501) }))).toEqual(
    problem(400, 'Invalid request', 'missedCallMessage must have at most 500 characters'),
  );
  expect((await read()).missedCallMessage).toBe(ofLength(500));
});

test.each([
  ['missedCallMessage', 5, 'must be a string'],
  ['missedCallAutoMessageEnabled', 'yes', 'must be true or false'],
])('The missed-call message refuses %s: %s', async (field, value, text) => {
  expect(outcome(await put({ [field]: value }))).toEqual(problem(400, 'Invalid request', `${field} ${text}`));
});

test('The missed-call message keeps both of two changes at once', async () => {
  const other = organizationsClient(product, await product.newColleague(own.admin, 'ADMIN'));
  await Promise.all([
    put({ missedCallMessage: 'Sorry' }),
    other('update-missed-call-message', { missedCallAutoMessageEnabled: true }),
  ]);
  expect(await read()).toEqual({ missedCallMessage: 'Sorry', missedCallAutoMessageEnabled: true });
});
