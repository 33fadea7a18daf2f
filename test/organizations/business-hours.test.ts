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

test('Business hours take times from 00:00 to 23:59 as HH:mm, spans over night, and nothing else', async () => {
  const monday = (start: unknown, end: unknown) => ({
    businessHours: { monday: { enabled: true, start, end } },
  });
  for (const [start, end] of [
    ['00:00', '23:59'],
    ['18:00', '02:30'],
    ['08:00', '08:00'],
  ]) {
    expect((await put(monday(start, end))).body.data.businessHours.monday).toEqual({
      enabled: true,
      start,
      end,
    });
  }
  const others = [
    '24:00',
    '9:00',
    '09:60',
    '25:00',
    '0900',
    '09:00:00',
    ' 09:00',
    '09:00\n',
    '９:00',
    '',
    900,
  ];
  for (const time of others) {
    await expectRefused(monday(time, '17:00'), /^businessHours\.monday\.start must be a (time|string)/);
    await expectRefused(monday('09:00', time), /^businessHours\.monday\.end must be a (time|string)/);
  }
  await expectRefused(monday(null, '17:00'), /^businessHours\.monday\.start is required$/);
});

test('Business hours take the seven days by their lower-case English names, each whole', async () => {
  const week = Object.fromEntries(
    ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [
      day,
      nineToFive,
    ]),
  );
  expect((await put({ businessHours: week })).body.data.businessHours).toEqual(week);
  for (const day of ['Monday', 'mon', 'funday', '1', 'constructor', 'toString']) {
    await expectRefused(
      { businessHours: { [day]: nineToFive } },
      /^businessHours takes only monday, tuesday, /,
    );
  }
  for (const missing of ['enabled', 'start', 'end']) {
    await expectRefused(
      { businessHours: { monday: { ...nineToFive, [missing]: undefined } } },
      `^businessHours.monday.${missing} is required$`,
    );
  }
  expect((await put({ businessHours: { monday: null } })).body.data.businessHours).toEqual({});
  await expectRefused({ businessHours: [] }, /^businessHours must be an object/);
  await expectRefused({ businessHours: 'always' }, /^businessHours must be an object/);
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
    expect(await parsedBody(operationNamed('update-business-hours'), body)).toEqual(
      exists
        ? body
        : expect.stringMatching(
            /^(holidays|exceptionalHours)\[0\]\.date must be a (day of the calendar|string)/,
          ),
    );
  }
});

test('“`exceptionalHours`: `closed: true` ignores times, otherwise both are needed.”', async () => {
  const day = (more: object) => ({ exceptionalHours: [{ date: '2027-03-01', label: 'Move', ...more }] });
  for (const times of [{}, { start: '09:00' }, { end: '17:00' }]) {
    await expectRefused(
      day({ closed: false, ...times }),
      /^exceptionalHours\[0\]\.(start|end) is required(; exceptionalHours\[0\]\.end is required)?$/,
    );
    expect((await put(day({ closed: true, ...times }))).body.data.exceptionalHours).toEqual([
      { date: '2027-03-01', closed: true, label: 'Move', ...times },
    ]);
  }
  await expectRefused(day({ closed: false, start: '9:00', end: '17:00' }), /\.start must be a time/);
  await expectRefused(day({}), /^exceptionalHours\[0\]\.closed is required$/);
  expect((await put(day({ closed: false, start: '22:00', end: '04:00' }))).status).toBe(200);
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
