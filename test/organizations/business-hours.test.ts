import { expect, test } from 'vitest';
import { operationNamed, parsedBody } from '../access/parsed-body.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, outcome } from '../harness/tenants.ts';
import { problem } from './client.ts';
import { organizationEach } from './each.ts';

const product = await setUpProduct();
const { client } = organizationEach(product);

/** Business hours that nobody has set. */
const initialHours = {
  timezone: 'UTC',
  businessHours: null,
  holidays: [],
  exceptionalHours: [],
  allowUserBusinessHoursOverride: false,
};

const nineToFive = { enabled: true, start: '09:00', end: '17:00' };

const put = (body: unknown) => client('update-business-hours', body);
const read = async () => expectStatus(await client('read-business-hours'), 200).data;

/** A 400 in the family's shape that names the field. */
async function expectRefused(body: unknown, details: string | RegExp) {
  expect(outcome(await put(body)), JSON.stringify(body).slice(0, 80)).toEqual(
    problem(400, 'Invalid request', expect.stringMatching(details)),
  );
}

const keys = Object.keys(initialHours);

test('Business hours that nobody has set are UTC, without a schedule', async () => {
  const { status, body } = await client('read-business-hours');
  expect({ status, body }).toEqual({ status: 200, body: { success: true, data: initialHours } });
  expect(Object.keys(body)).toEqual(['success', 'data']);
  expect(Object.keys(body.data)).toEqual(keys);
});

test('Business hours are returned as `{success: true, data: …}` as they are stored, by PUT and GET alike', async () => {
  const hours = {
    timezone: 'Asia/Kolkata',
    businessHours: {
      monday: nineToFive,
      saturday: { enabled: false, start: '10:00', end: '12:00' },
      sunday: { enabled: true, start: '22:00', end: '06:00' },
    },
    holidays: [{ date: '2026-12-25', label: 'Christmas Day' }],
    exceptionalHours: [
      { date: '2026-12-24', closed: false, start: '09:00', end: '12:00', label: 'Christmas Eve' },
      { date: '2026-12-31', closed: true, label: '' },
    ],
    allowUserBusinessHoursOverride: true,
  };
  const { status, body } = await put(hours);
  expect({ status, body }).toEqual({ status: 200, body: { success: true, data: hours } });
  expect(Object.keys(body)).toEqual(['success', 'data']);
  expect(Object.keys(body.data)).toEqual(keys);
  expect(await read()).toEqual(hours);
});

test('Business hours are updated in part: a key that is absent stays, and no key at all changes nothing', async () => {
  const holidays = [{ date: '2027-01-01', label: 'New Year' }];
  await put({ timezone: 'Europe/Kyiv', businessHours: { friday: nineToFive }, holidays });
  const before = await read();

  expect((await put({})).body.data).toEqual(before);
  expect((await put({ allowUserBusinessHoursOverride: true })).body.data).toEqual({
    ...before,
    allowUserBusinessHoursOverride: true,
  });
  expect((await put({ unknown: 1, organizationId: 'other', _id: 'x' })).body.data).toEqual({
    ...before,
    allowUserBusinessHoursOverride: true,
  });
  expect(await read()).toEqual({ ...before, allowUserBusinessHoursOverride: true });
});

test('Business hours replace the week and the lists whole; null clears the week, [] a list', async () => {
  await put({
    businessHours: { monday: nineToFive, tuesday: nineToFive },
    holidays: [
      { date: '2027-01-01', label: 'New Year' },
      { date: '2027-05-01', label: 'May Day' },
    ],
    exceptionalHours: [{ date: '2027-01-02', closed: true, label: 'Stocktaking' }],
  });
  const replaced = await put({
    businessHours: { wednesday: nineToFive },
    holidays: [{ date: '2027-12-25', label: 'Christmas Day' }],
  });
  expect(replaced.body.data).toEqual({
    ...initialHours,
    businessHours: { wednesday: nineToFive },
    holidays: [{ date: '2027-12-25', label: 'Christmas Day' }],
    exceptionalHours: [{ date: '2027-01-02', closed: true, label: 'Stocktaking' }],
  });
  await put({ businessHours: null, holidays: [], exceptionalHours: [] });
  expect(await read()).toEqual(initialHours);
  expect((await put({ businessHours: {} })).body.data.businessHours).toEqual({});
});

test.each(['holidays', 'exceptionalHours'])('Business hours hold 200 %s, and not 201', async (list) => {
  const dates = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      date: new Date(Date.UTC(2027, 0, 1 + index)).toISOString().slice(0, 10),
      label: `Day ${index}`,
      ...(list === 'exceptionalHours' ? { closed: false, start: '10:00', end: '14:00' } : {}),
    }));
  const { status, body } = await put({ [list]: dates(200) });
  expect([status, body.data[list]]).toEqual([200, dates(200)]);
  await expectRefused({ [list]: dates(201) }, `^${list} must have at most 200 items$`);
  expect((await read())[list]).toHaveLength(200);
});

const parsed = (body: unknown) => parsedBody(operationNamed('update-business-hours'), body);
const monday = (times: object) => ({ businessHours: { monday: { ...nineToFive, ...times } } });
const day = (more: object) => ({ exceptionalHours: [{ date: '2027-03-01', label: 'Move', ...more }] });
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const noTime = /^businessHours\.monday\.(start|end) must be a (time|string)/;

test.each([
  monday({ start: '00:00', end: '23:59' }),
  monday({ start: '18:00', end: '02:30' }),
  monday({ start: '08:00', end: '08:00' }),
  { businessHours: Object.fromEntries(weekdays.map((weekday) => [weekday, nineToFive])) },
  day({ closed: false, start: '22:00', end: '04:00' }),
  ...[{}, { start: '09:00' }, { end: '17:00' }].map((times) => day({ closed: true, ...times })),
])('Business hours take %j', async (body) => {
  expect(await parsed(body)).toEqual(body);
});

/** Decisions 7: HH:mm from 00:00 to 23:59, the seven days by their lower-case English names; `closed: false` needs both times. */
test.each<[object, RegExp]>([
  ...['24:00', '9:00', '09:60', '0900', '09:00:00', ' 09:00', '09:00\n', '９:00', '', 900].flatMap(
    (time): [object, RegExp][] => [
      [monday({ start: time }), noTime],
      [monday({ end: time }), noTime],
    ],
  ),
  ...['Monday', 'mon', 'funday', '1', 'constructor', 'toString'].map((name): [object, RegExp] => [
    { businessHours: { [name]: nineToFive } },
    /^businessHours takes only monday, tuesday, /,
  ]),
  ...['enabled', 'start', 'end'].map((missing): [object, RegExp] => [
    monday({ [missing]: undefined }),
    new RegExp(`^businessHours.monday.${missing} is required$`),
  ]),
  [monday({ start: null }), /^businessHours\.monday\.start is required$/],
  [{ businessHours: [] }, /^businessHours must be an object/],
  [{ businessHours: 'always' }, /^businessHours must be an object/],
  [day({}), /^exceptionalHours\[0\]\.closed is required$/],
  [day({ closed: false, start: '09:00' }), /^exceptionalHours\[0\]\.end is required$/],
  [day({ closed: false, end: '17:00' }), /^exceptionalHours\[0\]\.start is required$/],
  [day({ closed: false, start: '9:00', end: '17:00' }), /\.start must be a time/],
])('Business hours refuse %j', async (body, details) => {
  expect(await parsed(body)).toMatch(details);
});

test.each([
  ...['2028-02-29', '2000-02-29', '2027-04-30', '2027-12-31'].map((date) => [date, true] as const),
  ...['2027-02-29', '2100-02-29', '2028-02-30', '2027-04-31', '2027-13-01', '2027-00-10', '2027-01-00'].map(
    (date) => [date, false] as const,
  ),
  ...['2027-1-1', '27-01-01', '2027/01/01', '2027-01-01T00:00:00Z', '', 20270101].map(
    (date) => [date, false] as const,
  ),
])('Business hours take only days of the calendar: %s %s', async (date, exists) => {
  for (const body of [
    { holidays: [{ date, label: 'Day' }] },
    { exceptionalHours: [{ date, closed: true, label: 'Day' }] },
  ]) {
    expect(await parsed(body)).toEqual(
      exists
        ? body
        : expect.stringMatching(
            /^(holidays|exceptionalHours)\[0\]\.date must be a (day of the calendar|string)/,
          ),
    );
  }
});

const noTimes = [{}, { start: '', end: '' }, { start: null, end: null }, { start: '9:00', end: '24:00' }];

/** Decisions 7: `closed: true` ignores times, otherwise both are needed. A day with `enabled: false` needs no times. */
test.each(noTimes)(
  'Business hours ignore the times of a closed day, and a day with `enabled: false` needs none: %j',
  async (times) => {
    const { status, body } = await put({
      businessHours: { monday: nineToFive, sunday: { enabled: false, ...times } },
      exceptionalHours: [{ date: '2026-12-31', closed: true, label: '', ...times }],
    });
    const data = {
      ...initialHours,
      businessHours: { monday: nineToFive, sunday: { enabled: false } },
      exceptionalHours: [{ date: '2026-12-31', closed: true, label: '' }],
    };
    expect({ status, body }).toEqual({ status: 200, body: { success: true, data } });
    expect(await read()).toEqual(data);
  },
);
