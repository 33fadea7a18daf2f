import { describe, expect, test } from 'vitest';
import { type BusinessHours, businessHours } from '../../shared/organizations/business-hours.ts';
import { openingAt } from '../../shared/organizations/opening.ts';

const nineToFive = { enabled: true, start: '09:00', end: '17:00' };
const allDay = { enabled: true, start: '00:00', end: '00:00' };
const workdays = {
  monday: nineToFive,
  tuesday: nineToFive,
  wednesday: nineToFive,
  thursday: nineToFive,
  friday: nineToFive,
};
const everyDay = (times: typeof nineToFive) => ({
  ...{ monday: times, tuesday: times, wednesday: times, thursday: times, friday: times },
  ...{ saturday: times, sunday: times },
});

/** The answer at an instant, with its times as ISO 8601 without seconds. */
function opening(hours: Partial<BusinessHours>, at: string) {
  const { opensAt, closesAt, ...rest } = openingAt({ ...businessHours.initial, ...hours }, new Date(at));
  const text = (date: Date) => date.toISOString().replace(':00.000Z', 'Z');
  return {
    ...rest,
    ...(opensAt && { opensAt: text(opensAt) }),
    ...(closesAt && { closesAt: text(closesAt) }),
  };
}

describe('Hours of the week', () => {
  const hours = { timezone: 'Europe/Berlin', businessHours: workdays };

  test('Weekly hours begin with their first instant and end before their last', () => {
    const open = { open: true, because: 'week', closesAt: '2026-11-23T16:00Z' };
    const before = { open: false, because: 'week', opensAt: '2026-11-23T08:00Z' };
    const after = { open: false, because: 'week', opensAt: '2026-11-24T08:00Z' };
    expect(opening(hours, '2026-11-23T07:59:59.999Z')).toEqual(before);
    expect(opening(hours, '2026-11-23T08:00:00.000Z')).toEqual(open);
    expect(opening(hours, '2026-11-23T15:59:59.999Z')).toEqual(open);
    expect(opening(hours, '2026-11-23T16:00:00.000Z')).toEqual(after);
  });

  test('Weekly hours leave days out: after Friday comes Monday', () => {
    expect(opening(hours, '2026-11-27T16:00Z')).toEqual({
      open: false,
      because: 'week',
      opensAt: '2026-11-30T08:00Z',
    });
  });

  test('Weekly hours do not hold on a day that is not enabled, which needs no times', () => {
    const monday = { enabled: false } as const;
    expect(opening({ ...hours, businessHours: { ...workdays, monday } }, '2026-11-23T09:00Z')).toEqual({
      open: false,
      because: 'week',
      opensAt: '2026-11-24T08:00Z',
    });
  });

  test('Weekly hours that are missing altogether mean open, for the rule `none`, and without an end', () => {
    expect(opening({}, '2026-11-23T03:00Z')).toEqual({ open: true, because: 'none' });
  });

  test('Weekly hours without a single open day mean closed, and no next opening', () => {
    const never = { open: false, because: 'week' };
    expect(opening({ businessHours: {} }, '2026-11-23T12:00Z')).toEqual(never);
    const disabled = everyDay({ ...nineToFive, enabled: false });
    expect(opening({ businessHours: disabled }, '2026-11-23T12:00Z')).toEqual(never);
  });
});

describe('Nights', () => {
  const bar = { friday: { enabled: true, start: '18:00', end: '02:00' } };

  test('Hours over midnight belong to the day on which they begin', () => {
    const open = { open: true, because: 'week', closesAt: '2026-11-28T02:00Z' };
    expect(opening({ businessHours: bar }, '2026-11-27T23:00Z')).toEqual(open);
    expect(opening({ businessHours: bar }, '2026-11-28T01:59Z')).toEqual(open);
    expect(opening({ businessHours: bar }, '2026-11-28T02:00Z')).toEqual({
      open: false,
      because: 'week',
      opensAt: '2026-12-04T18:00Z',
    });
  });

  test('Hours over midnight are not cut by a holiday on the day after, and do not begin on a holiday', () => {
    const nights = { businessHours: everyDay({ enabled: true, start: '18:00', end: '02:00' }) };
    const hours = { ...nights, holidays: [{ date: '2026-12-25', label: '' }] };
    expect(opening(hours, '2026-12-25T01:00Z')).toEqual({
      open: true,
      because: 'week',
      closesAt: '2026-12-25T02:00Z',
    });
    const closed = { open: false, opensAt: '2026-12-26T18:00Z' };
    expect(opening(hours, '2026-12-25T02:00Z')).toEqual({ ...closed, because: 'holiday' });
    expect(opening(hours, '2026-12-25T20:00Z')).toEqual({ ...closed, because: 'holiday' });
    expect(opening(hours, '2026-12-26T01:00Z')).toEqual({ ...closed, because: 'week' });
  });

  test('Hours over midnight that end when the next ones begin are one opening', () => {
    const businessHours = {
      monday: { enabled: true, start: '12:00', end: '00:00' },
      tuesday: { enabled: true, start: '00:00', end: '08:00' },
    };
    const open = { open: true, because: 'week', closesAt: '2026-11-24T08:00Z' };
    expect(opening({ businessHours }, '2026-11-23T12:00Z')).toEqual(open);
    expect(opening({ businessHours }, '2026-11-24T00:00Z')).toEqual(open);
  });

  test('Hours that end when they begin last a whole day; seven of them never end', () => {
    const monday = { enabled: true, start: '08:00', end: '08:00' };
    expect(opening({ businessHours: { monday } }, '2026-11-24T07:59Z')).toEqual({
      open: true,
      because: 'week',
      closesAt: '2026-11-24T08:00Z',
    });
    for (const times of [monday, allDay]) {
      expect(opening({ businessHours: everyDay(times) }, '2026-11-24T07:59Z')).toEqual({
        open: true,
        because: 'week',
      });
    }
  });
});

describe('“An `end` of `23:59` includes that minute (until midnight)”', () => {
  const late = { enabled: true, start: '09:00', end: '23:59' };

  test.each<[string, object, string, object]>([
    ['the last minute', { monday: late }, '2026-11-23T23:59:59Z', { closesAt: '2026-11-24T00:00Z' }],
    ['noon', { monday: late }, '2026-11-23T12:00Z', { closesAt: '2026-11-24T00:00Z' }],
    ['midnight', { monday: late }, '2026-11-24T00:00Z', { opensAt: '2026-11-30T09:00Z' }],
    [
      'a night that follows',
      { monday: late, tuesday: { enabled: true, start: '00:00', end: '05:00' } },
      '2026-11-23T23:59:30Z',
      { closesAt: '2026-11-24T05:00Z' },
    ],
    ['a whole week', everyDay({ ...late, start: '00:00' }), '2026-11-23T23:59:30Z', {}],
    ['a whole week that begins at its end', everyDay({ ...late, start: '23:59' }), '2026-11-23T12:00Z', {}],
    [
      'a day that begins at its end',
      { monday: { ...late, start: '23:59' } },
      '2026-11-24T12:00Z',
      { closesAt: '2026-11-25T00:00Z' },
    ],
    [
      'a day until 23:58',
      { monday: { ...late, end: '23:58' } },
      '2026-11-23T23:58:00Z',
      { opensAt: '2026-11-30T09:00Z' },
    ],
    ['a day off, and not its end', { monday: { ...late, enabled: false } }, '2026-11-23T23:59:30Z', {}],
  ])('%s', (_, businessHours, at, change) => {
    const { because, open, ...rest } = opening({ businessHours }, at);
    expect(because).toBe('week');
    expect(rest).toEqual(change);
    expect(open).toBe(!('opensAt' in change || JSON.stringify(businessHours).includes('false')));
  });

  test('On exceptional days, and where clocks change at midnight', () => {
    const exceptionalHours = [{ date: '2026-11-23', closed: false, start: '10:00', end: '23:59', label: '' }];
    expect(opening({ businessHours: {}, exceptionalHours }, '2026-11-23T23:59:59Z')).toEqual({
      ...{ open: true, because: 'exceptional', closesAt: '2026-11-24T00:00Z' },
    });
    // In Santiago clocks went from 23:59:59 on 5 September 2026 to 01:00.
    const saturday = { timezone: 'America/Santiago', businessHours: { saturday: late } };
    expect(opening(saturday, '2026-09-06T03:59:59Z')).toMatchObject({ closesAt: '2026-09-06T04:00Z' });
    expect(opening(saturday, '2026-09-06T04:00Z').open).toBe(false);
  });
});

describe('“Precedence: exceptional, holiday, weekly”', () => {
  const christmas = { date: '2026-12-25', label: 'Christmas Day' };
  const exceptional = (closed: boolean) => ({
    ...{ date: '2026-12-25', label: '', start: '10:00', end: '12:00' },
    closed,
  });

  test('A holiday closes a day of the week', () => {
    expect(opening({ businessHours: workdays, holidays: [christmas] }, '2026-12-25T11:00Z')).toEqual({
      open: false,
      because: 'holiday',
      opensAt: '2026-12-28T09:00Z',
    });
  });

  test('Exceptional hours open a holiday, and are all the hours of the day', () => {
    const hours = {
      ...{ businessHours: workdays, holidays: [christmas] },
      exceptionalHours: [exceptional(false)],
    };
    const because = 'exceptional';
    expect(opening(hours, '2026-12-25T09:30Z')).toEqual({
      open: false,
      because,
      opensAt: '2026-12-25T10:00Z',
    });
    expect(opening(hours, '2026-12-25T10:00Z')).toEqual({
      open: true,
      because,
      closesAt: '2026-12-25T12:00Z',
    });
    expect(opening(hours, '2026-12-25T12:00Z')).toEqual({
      open: false,
      because,
      opensAt: '2026-12-28T09:00Z',
    });
  });

  test('“`closed: true` ignores times”', () => {
    expect(
      opening({ businessHours: workdays, exceptionalHours: [exceptional(true)] }, '2026-12-25T11:00Z'),
    ).toEqual({ open: false, because: 'exceptional', opensAt: '2026-12-28T09:00Z' });
  });

  test('Special days interrupt an organization without weekly hours too', () => {
    const hours = {
      holidays: [christmas],
      exceptionalHours: [{ ...exceptional(false), date: '2027-03-01' }],
    };
    expect(opening(hours, '2026-11-23T11:00Z')).toEqual({
      open: true,
      because: 'none',
      closesAt: '2026-12-25T00:00Z',
    });
    expect(opening(hours, '2026-12-25T11:00Z')).toEqual({
      open: false,
      because: 'holiday',
      opensAt: '2026-12-26T00:00Z',
    });
    expect(opening(hours, '2026-12-26T00:00Z')).toEqual({
      open: true,
      because: 'none',
      closesAt: '2027-03-01T00:00Z',
    });
    expect(opening(hours, '2027-03-01T12:00Z')).toEqual({
      open: false,
      because: 'exceptional',
      opensAt: '2027-03-02T00:00Z',
    });
  });

  test('Several exceptional hours of a day add up, unless one of them closes it', () => {
    const afternoon = { ...exceptional(false), start: '14:00', end: '16:00' };
    const hours = { businessHours: workdays, exceptionalHours: [afternoon, exceptional(false)] };
    expect(opening(hours, '2026-12-25T12:30Z').opensAt).toBe('2026-12-25T14:00Z');
    const closed = { ...hours, exceptionalHours: [...hours.exceptionalHours, exceptional(true)] };
    expect(opening(closed, '2026-12-25T11:00Z').opensAt).toBe('2026-12-28T09:00Z');
  });
});

describe('What comes next', () => {
  test('The next change is found however far away it is', () => {
    const exceptionalHours = [{ date: '9998-05-04', closed: false, start: '10:00', end: '12:00', label: '' }];
    expect(opening({ businessHours: {}, exceptionalHours }, '2026-11-23T11:00Z').opensAt).toBe(
      '9998-05-04T10:00Z',
    );
    expect(opening({ businessHours: null, exceptionalHours }, '2026-11-23T11:00Z').closesAt).toBe(
      '9998-05-04T00:00Z',
    );
  });

  test('The next change is found at the end of 200 exceptional hours of one day that touch each other', () => {
    const time = (minutes: number) => new Date(minutes * 60_000).toISOString().slice(11, 16);
    const exceptionalHours = Array.from({ length: 200 }, (_, index) => ({
      ...{ date: '2026-11-23', closed: false, label: '' },
      ...{ start: time(index * 5), end: time(index * 5 + 5) },
    }));
    expect(opening({ exceptionalHours }, '2026-11-23T00:00Z').closesAt).toBe('2026-11-23T16:40Z');
  });

  test('The next change is found behind 200 holidays and 200 closed days that take every Monday of seven years', () => {
    const mondays = Array.from({ length: 400 }, (_, index) =>
      new Date(Date.UTC(2026, 10, 23 + 7 * index)).toISOString().slice(0, 10),
    );
    const hours = {
      businessHours: { monday: nineToFive },
      holidays: mondays.slice(0, 200).map((date) => ({ date, label: '' })),
      exceptionalHours: mondays.slice(200).map((date) => ({ date, closed: true, label: '' })),
    };
    expect(opening(hours, '2026-11-23T11:00Z')).toEqual({
      open: false,
      because: 'holiday',
      opensAt: '2034-07-24T09:00Z',
    });
  });
});

describe('Summer and winter time', () => {
  const berlin = (start: string, end: string) => ({
    timezone: 'Europe/Berlin',
    businessHours: { sunday: { enabled: true, start, end } },
  });

  test('Clocks that change move the hours in UTC and not those of the organization', () => {
    const hours = { timezone: 'America/New_York', businessHours: workdays };
    expect(opening(hours, '2026-10-30T20:00Z').closesAt).toBe('2026-10-30T21:00Z');
    expect(opening(hours, '2026-10-30T22:00Z').opensAt).toBe('2026-11-02T14:00Z');
  });

  test('A time that is skipped counts on from before the skip: 02:30 is 03:30', () => {
    expect(opening(berlin('02:30', '05:00'), '2026-03-29T01:29Z').opensAt).toBe('2026-03-29T01:30Z');
    expect(opening(berlin('01:00', '02:30'), '2026-03-29T00:30Z').closesAt).toBe('2026-03-29T01:30Z');
  });

  test('The first occurrence of a time that comes twice counts', () => {
    expect(opening(berlin('02:30', '05:00'), '2026-10-24T20:00Z').opensAt).toBe('2026-10-25T00:30Z');
    expect(opening(berlin('02:30', '05:00'), '2026-10-25T01:10Z')).toMatchObject({ open: true });
    expect(opening(berlin('01:00', '02:30'), '2026-10-25T00:00Z').closesAt).toBe('2026-10-25T00:30Z');
  });

  test('Hours that have begun go on while clocks show the day before once more', () => {
    const sunday = { enabled: true, start: '00:00', end: '04:00' };
    const hours = { timezone: 'America/St_Johns', businessHours: { sunday } };
    // At 00:01 on Sunday the 7th it was 23:01 on Saturday again.
    expect(opening(hours, '2010-11-07T02:29:59Z')).toMatchObject({ open: false });
    for (const at of ['2010-11-07T02:30Z', '2010-11-07T02:45Z', '2010-11-07T07:29Z']) {
      expect(opening(hours, at)).toEqual({ open: true, because: 'week', closesAt: '2010-11-07T07:30Z' });
    }
  });

  test('The hours of a day that is skipped count on from before the skip', () => {
    // Samoa had no Friday the 30th: Thursday ended at 10:00 UTC.
    const week = { thursday: { enabled: true, start: '18:00', end: '02:00' } };
    const samoa = (businessHours: BusinessHours['businessHours'], at: string) =>
      opening({ timezone: 'Pacific/Apia', businessHours }, at);
    expect(samoa(week, '2011-12-30T11:00Z')).toEqual({
      open: true,
      because: 'week',
      closesAt: '2011-12-30T12:00Z',
    });
    const friday = { enabled: true, start: '09:00', end: '12:00' };
    expect(samoa({ friday }, '2011-12-30T10:30Z').opensAt).toBe('2011-12-30T19:00Z');
    const saturday = { enabled: true, start: '08:00', end: '12:00' };
    expect(samoa({ friday, saturday }, '2011-12-30T09:00Z').opensAt).toBe('2011-12-30T18:00Z');
  });

  test('A name that only newer time zone databases have counts as UTC', () => {
    expect(opening({ timezone: 'Factory', businessHours: workdays }, '2026-11-23T08:00Z').opensAt).toBe(
      '2026-11-23T09:00Z',
    );
  });
});
