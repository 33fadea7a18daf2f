import { expect, test } from 'vitest';
import { operationNamed, parsedBody } from '../access/parsed-body.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { businessHoursOf, initialHours, nineToFive } from './business-hours-client.ts';
import { organizationEach } from './each.ts';

const product = await setUpProduct();
const own = organizationEach(product);
const { client } = own;

const { put, read, expectRefused } = businessHoursOf(() => client);

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
