import { Temporal } from 'temporal-polyfill';
import { beforeAll, expect, test } from 'vitest';
import { timeRange } from '../../shared/board/time-range.ts';
import { hour } from '../../shared/kernel/time.ts';
import { parseInstants } from '../../shared/organizations/written-times.ts';
import { contactsClient, namesIn } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { randomness } from '../harness/randomness.ts';
import { arrange, expectStatus, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { leadsClient } from '../outreach/leads-client.ts';
import { metricsClient } from '../outreach/metrics-client.ts';
import { graphWith, manual } from '../workflows/simulating.ts';
import { organizationsClient } from './client.ts';

const newYork = 'America/New_York';
const at = (value: unknown, zone = newYork) => {
  const { first, last } = parseInstants(value, zone) ?? {};
  const text = (instant?: number) => (instant === undefined ? undefined : new Date(instant).toISOString());
  return first === last ? text(first) : [text(first), text(last)];
};

/** Decisions 6, "Ranges"; the source of each value stands beside it. */
test.each<[string, string, string | [string, string]]>([
  ['RFC 3339, 5.8, first example', '1985-04-12T23:20:50.52Z', '1985-04-12T23:20:50.520Z'],
  ['RFC 3339, 5.8, second example', '1996-12-19T16:39:57-08:00', '1996-12-20T00:39:57.000Z'],
  ['RFC 3339, 5.8, a leap second', '1990-12-31T23:59:60Z', '1990-12-31T23:59:59.999Z'],
  ['RFC 3339, 5.8, the same leap second elsewhere', '1990-12-31T15:59:60-08:00', '1990-12-31T23:59:59.999Z'],
  ['RFC 3339, 5.8, an offset of 20 minutes', '1937-01-01T12:00:27.87+00:20', '1937-01-01T11:40:27.870Z'],
  [
    'RFC 3339, appendix D, the leap second of 2016 in India',
    '2017-01-01T05:29:60+05:30',
    '2016-12-31T23:59:59.999Z',
  ],
  ['RFC 3339, 5.6, lower-case t and z', '2026-03-04t05:06:07z', '2026-03-04T05:06:07.000Z'],
  ['RFC 3339, 5.6, a blank for the T', '2026-03-04 05:06:07Z', '2026-03-04T05:06:07.000Z'],
  [
    'RFC 3339, 5.6, time-secfrac = "." 1*DIGIT',
    '2026-03-04T05:06:07.123456789012345Z',
    '2026-03-04T05:06:07.123Z',
  ],
  ['RFC 3339, 5.6, one digit of a fraction', '2026-03-04T05:06:07.9Z', '2026-03-04T05:06:07.900Z'],
  ['RFC 3339, 4.3, -00:00', '2026-03-04T05:06:07-00:00', '2026-03-04T05:06:07.000Z'],
  ['ISO 8601, an offset in the basic format', '2026-03-04T05:06:07+0530', '2026-03-03T23:36:07.000Z'],
  ['ISO 8601, an offset of hours alone', '2026-03-04T05:06:07-03', '2026-03-04T08:06:07.000Z'],
  ['PostgreSQL, the output of timestamptz', '2026-03-04 05:06:07.25+00', '2026-03-04T05:06:07.250Z'],
  ['Ruby, Time#to_s', '2026-03-04 05:06:07 +0200', '2026-03-04T03:06:07.000Z'],
  ['HTML, a valid local date and time string', '2026-03-04T05:06', '2026-03-04T10:06:00.000Z'],
  ['HTML, the same with seconds in summer', '2026-07-04T05:06:07', '2026-07-04T09:06:07.000Z'],
  ['HTML, a valid date string', '2026-07-04', ['2026-07-04T04:00:00.000Z', '2026-07-05T03:59:59.999Z']],
  [
    'a spreadsheet with blanks around',
    ' 2026-07-04 \t',
    ['2026-07-04T04:00:00.000Z', '2026-07-05T03:59:59.999Z'],
  ],
  [
    'tzdb, northamerica, a day of 23 hours',
    '2026-03-08',
    ['2026-03-08T05:00:00.000Z', '2026-03-09T03:59:59.999Z'],
  ],
  [
    'tzdb, northamerica, a day of 25 hours',
    '2026-11-01',
    ['2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.999Z'],
  ],
  ['RFC 5545, 3.3.5, a time that clocks skip', '2026-03-08T02:30', '2026-03-08T07:30:00.000Z'],
  ['RFC 5545, 3.3.5, a time that comes twice', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
  ['Gregorian calendar, a leap day', '2028-02-29T12:00Z', '2028-02-29T12:00:00.000Z'],
  ['tzdb, local mean time', '0050-01-01T00:00:00', '0050-01-01T04:56:02.000Z'],
])('%s: %s', (_, text, expected) => {
  expect(at(text)).toEqual(expected);
});

test.each<[string, unknown]>([
  ['30 February', '2026-02-30'],
  ['29 February of a common year', '2026-02-29T10:00:00Z'],
  ['29 February of a century', '2100-02-29'],
  ['31 April', '2026-04-31T00:00Z'],
  ['month 13', '2026-13-01'],
  ['month 0', '2026-00-10'],
  ['day 0', '2026-01-00'],
  ['24:00, which RFC 3339 does not have', '2026-01-15T24:00:00Z'],
  ['25:00', '2026-01-15T25:00:00Z'],
  ['minute 60', '2026-01-15T10:60:00Z'],
  ['second 61', '2026-01-15T23:59:61Z'],
  ['a leap second at noon in UTC', '2026-06-30T12:00:60Z'],
  ['a leap second at midnight of a place that is not UTC', '2026-06-30T23:59:60-08:00'],
  ['a leap second within an hour', '2026-06-30T12:30:60'],
  ['an offset of 24 hours', '2026-01-15T10:00:00+24:00'],
  ['an offset of 60 minutes', '2026-01-15T10:00:00+02:60'],
  ['an offset of one digit', '2026-01-15T10:00:00+2'],
  ['an hour alone', '2026-01-15T10'],
  ['a fraction without digits', '2026-01-15T10:00:00.Z'],
  ['an offset on a date', '2026-01-15Z'],
  ['an underscore for the T', '2026-01-15_10:00:00Z'],
  ['two blanks for the T', '2026-01-15  10:00'],
  ['a short year', '26-01-15'],
  ['a year of five digits', '12026-01-15'],
  ['a short month', '2026-1-15'],
  ['the order of the United States', '01/15/2026'],
  ['the basic format', '20260115T100000Z'],
  ['a week date', '2026-W03-4'],
  ['an ordinal date', '2026-015'],
  ['the name of a zone', '2026-01-15T10:00:00 EST'],
  ['a blank where a + was, but not in a query', '2026-01-15T10:00:00 02:00'],
  ['a time alone', '10:00:00Z'],
  ['digits of another script', '２０２６-01-15'],
  ['a word', 'tomorrow'],
  ['an empty text', ''],
  ['a number', 1_800_000_000],
])('%s is no date or time: %j', (_, text) => {
  expect(at(text)).toBeUndefined();
});

test.each<[string, object, [string | undefined, string | undefined]]>([
  ['a second', { end: '2026-03-04T05:06:07Z' }, [undefined, '2026-03-04T05:06:07.999Z']],
  ['a fraction', { end: '2026-03-04T05:06:07.4Z' }, [undefined, '2026-03-04T05:06:07.400Z']],
  ['a fraction of zero', { end: '2026-03-04T05:06:07.000Z' }, [undefined, '2026-03-04T05:06:07.000Z']],
  [
    'a minute, which is its first second',
    { end: '2026-03-04T05:06Z' },
    [undefined, '2026-03-04T05:06:00.999Z'],
  ],
  ['a leap second', { end: '2016-12-31T23:59:60Z' }, [undefined, '2016-12-31T23:59:59.999Z']],
  ['a day there', { end: '2026-03-04' }, [undefined, '2026-03-05T04:59:59.999Z']],
  [
    'a day and a night',
    { start: '2026-03-04', end: '2026-03-04 12:00' },
    ['2026-03-04T05:00:00.000Z', '2026-03-04T17:00:00.999Z'],
  ],
  // Clocks go from 02:00 to 01:00 on 1 November 2026.
  [
    'a time that comes twice, of which it holds both',
    { start: '2026-11-01T01:10', end: '2026-11-01T01:30' },
    ['2026-11-01T05:10:00.000Z', '2026-11-01T06:30:00.999Z'],
  ],
  ['the day of that change', { end: '2026-11-01' }, [undefined, '2026-11-02T04:59:59.999Z']],
  ['a time that clocks skip', { end: '2026-03-08T02:30' }, [undefined, '2026-03-08T07:30:00.999Z']],
  ['nothing', { start: '', end: null }, [undefined, undefined]],
])('A range ends with %s', (_, written, [from, to]) => {
  expect(timeRange(written, newYork)).toEqual({ from, to });
});

test('10,000 random local times are those of a model with other arithmetic', () => {
  const random = randomness(5);
  const zones = [
    'America/St_Johns',
    'Europe/Dublin',
    'Africa/Casablanca',
    'Australia/Lord_Howe',
    'Pacific/Apia',
  ];
  for (let index = 0; index < 10_000; index += 1) {
    const zone = random.pick(zones);
    const instant = random.momentBetween(new Date('1990-01-01'), new Date('2030-01-01'));
    const local = Temporal.Instant.from(instant.toISOString()).toZonedDateTimeISO(zone).toPlainDateTime();
    const expected = local.toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds;
    expect(parseInstants(local.toString(), zone)?.first, `${local} in ${zone}`).toBe(expected);
  }
});

// Every operation that takes a date or a time reads it in the same way.

const product = await setUpProduct();
const admin = await product.newOrganization();
const { token } = admin;
const contacts = contactsClient(product, admin);
const client = organizationsClient(product, admin);
const now = new Date();
let contactId: string;

beforeAll(async () => {
  await arrange(client('update-business-hours', { timezone: newYork }));
  const phoneNumbers = [{ value: newPhoneNumber() }];
  contactId = (
    await contacts.created({ firstName: 'Ada', phoneNumbers }, new Date('2026-01-16T04:30:00.400Z'))
  )._id;
});

/** Each in New York, whose offset is -05:00 on that day. */
const spellings = [
  ['2027-01-15T09:00', '2027-01-15T14:00:00.000Z'],
  ['2027-01-15 09:00:00', '2027-01-15T14:00:00.000Z'],
  ['2027-01-15t09:00:00z', '2027-01-15T09:00:00.000Z'],
  ['2027-01-15T09:00:00+0200', '2027-01-15T07:00:00.000Z'],
  ['2027-01-15 09:00:00.5 +02', '2027-01-15T07:00:00.500Z'],
] as const;

test.each([...spellings, ['2027-07-04', '2027-07-04T04:00:00.000Z']] as const)(
  'A reminder for %s is at %s',
  async (remindAt, expected) => {
    const body = { contactId, note: 'Call', remindAt };
    const { data } = expectStatus(await product.call('create-reminder', { token, body }), 201);
    expect(data.remindAt).toBe(expected);
  },
);

test.each(spellings)('A simulation at %s happens at %s', async (time, expected) => {
  const graph = graphWith({ start: manual, note: { type: 'addNote', data: { note: '{{event.at}}' } } }, [
    'start note',
  ]);
  const body = { name: `Simulated at ${time}`, ...graph };
  const { _id: id } = expectStatus(await product.call('create-workflow', { token, body }), 201).data;
  const simulated = await product.call('simulate-workflow', {
    ...{ token, path: { id }, body: { topic: 'manual.started', contactId, at: time } },
  });
  expect(expectStatus(simulated, 200).data.path[0].at).toBe(expected);
});

test.each(spellings)('The preview of a call missed at %s is for %s', async (time, expected) => {
  const hours = (open: string) => ({
    businessHours: {},
    exceptionalHours: [{ date: open.slice(0, 10), closed: false, start: '00:00', end: '00:00', label: '' }],
  });
  await arrange(client('update-business-hours', hours(expected)));
  const opening = expectStatus(
    await product.call('read-opening', {
      token,
      path: { organizationId: admin.organizationId },
      query: { at: time },
    }),
    200,
  ).data;
  expect(opening).toEqual({ open: true, because: 'exceptional', closesAt: '2027-01-16T05:00:00.000Z' });
  const body = { at: time, callerNumber: newPhoneNumber() };
  expect(outcome(await client('preview-missed-call', body))).toMatchObject({ status: 200 });
});

test.each<[object, string[]]>([
  [{ start: '2026-01-15', end: '2026-01-15' }, ['Ada']],
  [{ start: '2026-01-16' }, []],
  [{ end: '2026-01-14' }, []],
  [{ start: '2026-01-15T23:30', end: '2026-01-15T23:30' }, ['Ada']],
  [{ end: '2026-01-15T23:29:59' }, []],
  [{ end: '2026-01-16t04:30:00z' }, ['Ada']],
  [{ end: '2026-01-16T04:30:00.3Z' }, []],
])('A board of the range %j has %j', async (createdDateRange, names) => {
  expect(await namesIn(contacts, { createdDateRange }, now)).toEqual(names);
});

test.each(['09:00', '09:00:00-0500', '14:00:00z'])(
  'A text for %s tomorrow is sent at that time there',
  async (time) => {
    await newWebhookClient(product, admin, admin);
    const tomorrow = Temporal.Instant.from(now.toISOString())
      .toZonedDateTimeISO(newYork)
      .toPlainDate()
      .add({ days: 1 });
    const expected = time.startsWith('14')
      ? `${tomorrow}T14:00:00.000Z`
      : tomorrow
          .toPlainDateTime('09:00')
          .toZonedDateTime(time === '09:00' ? newYork : '-05:00')
          .toInstant();
    const body = { contactId, content: 'Hi', sendAt: `${tomorrow} ${time}` };
    const { sendAt } = expectStatus(await product.call('send-message', { token, body }), 201).data;
    expect(sendAt).toBe(new Date(expected.toString()).toISOString());
  },
);

test('A text is not sent at a date without a time', async () => {
  const body = { contactId, content: 'Hi', sendAt: '2027-01-15' };
  expect(outcome(await product.call('send-message', { token, body }))).toEqual(
    failure(400, 'sendAt must be an ISO 8601 date-time'),
  );
});

test('A lead counts for the day that it is there', async () => {
  const late = new Date(Date.parse(now.toISOString().slice(0, 10)) - 20.5 * hour);
  const [today, yesterday] = [0, -24].map((hours) =>
    new Date(late.getTime() + hours * hour).toISOString().slice(0, 10),
  ) as [string, string];
  const leads = leadsClient(product, admin, { at: late });
  const { _id } = await leads.configure();
  await leads.sent(_id, {}, { at: late });
  const metrics = metricsClient(product, admin, { at: late });
  const days = async (query: Record<string, string>) =>
    (await metrics.metrics(query)).byDay.map(({ date, leads: count }) => `${date}: ${count}`);
  expect((await days({})).at(-1)).toBe(`${yesterday}: 1`);
  expect(await days({ startDate: yesterday, endDate: yesterday })).toEqual([`${yesterday}: 1`]);
  expect(await days({ startDate: today, endDate: today })).toEqual([`${today}: 0`]);
  expect(await days({ startDate: `${today}T00:30:00 00:00`, endDate: `${yesterday} 23:00` })).toEqual([
    `${yesterday}: 1`,
  ]);
});
