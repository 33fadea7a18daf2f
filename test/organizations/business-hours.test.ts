import { expect, test } from 'vitest';
import { setUpProduct } from '../harness/fixtures.ts';
import { businessHoursOf, initialHours, nineToFive } from './business-hours-client.ts';
import { organizationEach } from './each.ts';

const product = await setUpProduct();
const own = organizationEach(product);
const { client } = own;

const { put, read, expectRefused } = businessHoursOf(() => client);
const keys = ['timezone', 'businessHours', 'holidays', 'exceptionalHours', 'allowUserBusinessHoursOverride'];

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
