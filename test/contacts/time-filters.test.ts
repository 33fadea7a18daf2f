import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { hoursAgo, namesIn, newContactsClient, touch } from './client.ts';

const product = await setUpProduct();

/** For every board of this file. */
const now = new Date();
const contacts = await newContactsClient(product);
const moments = {
  before: '2020-03-09T23:59:59.999Z',
  dawn: '2020-03-10T00:00:00.000Z',
  midday: '2020-03-10T12:00:00.500Z',
  dusk: '2020-03-10T23:59:59.999Z',
  after: '2020-03-11T00:00:00.000Z',
};
// The clock of the call is the contact's createdAt, and a token is valid whenever it has not expired.
for (const [firstName, at] of Object.entries(moments)) {
  await contacts.created({ firstName }, new Date(at));
}
const all = ['after', 'dusk', 'midday', 'dawn', 'before'];

/** Decisions 6, "Ranges". The time zone of a new organization is UTC; others are in `test/organizations/written-times.test.ts`. */
test.each<[string, Record<string, unknown>, string[]]>([
  ['hold both ends', { start: '2020-03-10T00:00:00Z', end: '2020-03-11T00:00:00Z' }, all.slice(0, 4)],
  [
    'are exact to the millisecond',
    { start: '2020-03-10T00:00:00.001Z', end: '2020-03-10T12:00:00.499Z' },
    [],
  ],
  [
    'hold a single moment',
    { start: '2020-03-10T12:00:00.500Z', end: '2020-03-10T12:00:00.500Z' },
    ['midday'],
  ],
  ['with a date as the end reach to the end of that day', { end: '2020-03-10' }, all.slice(1)],
  ['with a date as the start begin with that day', { start: '2020-03-10' }, all.slice(0, 4)],
  ['of one date hold that day', { start: '2020-03-10', end: '2020-03-10' }, ['dusk', 'midday', 'dawn']],
  ['understand an offset', { start: '2020-03-10T02:00:00+02:00', end: '2020-03-10T00:00:00Z' }, ['dawn']],
  [
    'hold the whole second of an end without a fraction',
    { start: '2020-03-10T12:00:00Z', end: '2020-03-10T12:00:00Z' },
    ['midday'],
  ],
  [
    'hold no more of a second than a fraction says',
    { start: '2020-03-10T12:00:00Z', end: '2020-03-10T12:00:00.4Z' },
    [],
  ],
  ['may lack the start', { end: '2020-03-10T00:00:00Z' }, ['dawn', 'before']],
  ['may lack the end', { start: '2020-03-10T23:59:59.999Z' }, ['after', 'dusk']],
  ['may have null for an end', { start: '2020-03-11', end: null }, ['after']],
  ['may have an empty text for an end', { start: '2020-03-11', end: '' }, ['after']],
  ['may be empty', {}, all],
  ['that end before they start hold nothing', { start: '2020-03-11', end: '2020-03-09' }, []],
  ['of long ago hold nothing', { start: '0001-01-01', end: '0001-12-31' }, []],
  ['of all times hold everything', { start: '0000-01-01', end: '9999-12-31' }, all],
  ['to the last moment of the calendar hold everything', { end: '9999-12-31T23:59:59-12:00' }, all],
  ['from the last moment of the calendar hold nothing', { start: '9999-12-31T23:59:59-12:00' }, []],
  ['from before the calendar hold everything', { start: '0000-01-01T00:00:00+12:00' }, all],
])('Ranges of createdAt %s', async (_, range, found) => {
  for (const query of [{ createdDateRange: range }, { dateRange: range }]) {
    expect(await namesIn(contacts, query, now)).toEqual(found);
    expect(await namesIn(contacts, { ...query, search: 'd' }, now)).toEqual(
      found.filter((name) => name.includes('d')),
    );
  }
});

test('Ranges of createdAt are those of `createdDateRange` when both are given', async () => {
  const day = { start: '2020-03-11', end: '2020-03-11' };
  expect(await namesIn(contacts, { createdDateRange: day, dateRange: { end: '2020-03-09' } }, now)).toEqual([
    'after',
  ]);
  expect(await namesIn(contacts, { createdDateRange: { end: '2020-03-09' }, dateRange: day }, now)).toEqual([
    'before',
  ]);
  expect(await namesIn(contacts, { createdDateRange: {}, dateRange: day }, now)).toEqual(['after']);
});

test.each<[string, unknown]>([
  ['2020-02-30', { end: '2020-02-30' }],
  ['a word', { start: 'yesterday' }],
  ['an hour alone', { start: '2020-03-10T10' }],
  ['a 25th hour', { end: '2020-03-10T25:00:00Z' }],
  ['a number', { start: 1_700_000_000_000 }],
  ['no object', '2020-03-10'],
  ['a list', ['2020-03-10', '2020-03-11']],
])('Ranges of createdAt refuse %s and name the field', async (_, range) => {
  for (const field of ['createdDateRange', 'dateRange', 'lastMessageDateRange']) {
    const response = await contacts.list({ [field]: range });
    expect(response).toMatchObject({ status: 400, body: { error: 'Invalid request' } });
    expect(response.body.message).toMatch(new RegExp(`^${field}`));
  }
});

const written = await newContactsClient(product);
const messages: Record<string, [number, 'inbound' | 'outbound'] | undefined> = {
  silent: undefined,
  'asked now': [0, 'inbound'],
  'answered an hour ago': [1, 'outbound'],
  'asked a day ago': [24, 'inbound'],
  'answered three days ago': [72, 'outbound'],
};
for (const [index, [firstName, message]] of Object.entries(messages).entries()) {
  const { _id } = await written.created({ firstName }, hoursAgo(100 + index, now));
  if (message !== undefined) {
    const [hours, lastMessageDirection] = message;
    const lastMessageAt = hoursAgo(hours, now).toISOString();
    await touch(product, written.admin.organizationId, _id, { lastMessageAt, lastMessageDirection });
  }
}

test('`messageStatus` asks for the direction of the last message', async () => {
  expect(await namesIn(written, { messageStatus: 'all' }, now)).toHaveLength(5);
  expect(await namesIn(written, { messageStatus: 'answered' }, now)).toEqual([
    'answered an hour ago',
    'answered three days ago',
  ]);
  expect(await namesIn(written, { messageStatus: 'unanswered' }, now)).toEqual([
    'asked now',
    'asked a day ago',
  ]);
  expect((await written.list({ messageStatus: 'other' })).body.message).toMatch(/^messageStatus/);
});

test('`lastMessageTimeRange` leaves those without a message in the window, never written to included', async () => {
  expect(await namesIn(written, { lastMessageTimeRange: { value: 2, unit: 'hours' } }, now)).toEqual([
    'silent',
    'asked a day ago',
    'answered three days ago',
  ]);
  expect(await namesIn(written, { lastMessageTimeRange: { value: 2, unit: 'days' } }, now)).toEqual([
    'silent',
    'answered three days ago',
  ]);
  expect(await namesIn(written, { lastMessageTimeRange: { value: 1_000_000, unit: 'days' } }, now)).toEqual([
    'silent',
  ]);
  expect(await namesIn(written, { lastMessageTimeRange: { value: 0.5, unit: 'hours' } }, now)).toHaveLength(
    4,
  );
});

test('A message at the very edge of the window is within it', async () => {
  expect(await namesIn(written, { lastMessageTimeRange: { value: 24, unit: 'hours' } }, now)).toEqual(
    await namesIn(written, { lastMessageTimeRange: { value: 1, unit: 'days' } }, now),
  );
  expect(await namesIn(written, { lastMessageTimeRange: { value: 1, unit: 'days' } }, now)).toEqual([
    'silent',
    'answered three days ago',
  ]);
});

test.each<[unknown]>([
  [{ value: 0, unit: 'hours' }],
  [{ value: -1, unit: 'days' }],
  [{ value: '2', unit: 'days' }],
  [{ value: 2, unit: 'weeks' }],
  [{ value: 2 }],
  [{ unit: 'days' }],
  [2],
])('`lastMessageTimeRange` refuses %j', async (lastMessageTimeRange) => {
  const response = await written.list({ lastMessageTimeRange });
  expect(response.status).toBe(400);
  expect(response.body.message).toMatch(/^lastMessageTimeRange/);
});

test('`lastMessageDateRange` asks for a last message in the window, both ends inclusive', async () => {
  const [start, end] = [hoursAgo(24, now).toISOString(), hoursAgo(1, now).toISOString()];
  const within = ['answered an hour ago', 'asked a day ago'];
  expect(await namesIn(written, { lastMessageDateRange: { start, end } }, now)).toEqual(within);
  expect(await namesIn(written, { lastMessageDateRange: { start } }, now)).toEqual(['asked now', ...within]);
  const longAgo = { end: '2000-01-01' };
  expect(await namesIn(written, { lastMessageDateRange: longAgo }, now)).toEqual([]);
  expect(await namesIn(written, { lastMessageDateRange: { end: '9999-12-31' } }, now)).toHaveLength(4);
  expect(await namesIn(written, { lastMessageDateRange: {} }, now)).toHaveLength(5);
});
