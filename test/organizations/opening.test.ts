import { expect, test } from 'vitest';
import { type BusinessHours, businessHours } from '../../shared/organizations/business-hours.ts';
import { openingAt } from '../../shared/organizations/opening.ts';

type Hours = Partial<BusinessHours>;

const times = (start: string, end: string) => ({ enabled: true, start, end });
const nineToFive = times('09:00', '17:00');
const workdays = {
  ...{ monday: nineToFive, tuesday: nineToFive, wednesday: nineToFive },
  ...{ thursday: nineToFive, friday: nineToFive },
};

const open = (because: string, closesAt?: string) => ({ open: true, because, ...(closesAt && { closesAt }) });
const closed = (because: string, opensAt?: string) => ({ open: false, because, ...(opensAt && { opensAt }) });

/** The answer at an instant, with its times as ISO 8601 without seconds. */
function opening(hours: Hours, at: string) {
  const { opensAt, closesAt, ...rest } = openingAt({ ...businessHours.initial, ...hours }, new Date(at));
  const text = (date: Date) => date.toISOString().replace(':00.000Z', 'Z');
  return {
    ...rest,
    ...(opensAt && { opensAt: text(opensAt) }),
    ...(closesAt && { closesAt: text(closesAt) }),
  };
}

const berlin = { timezone: 'Europe/Berlin', businessHours: workdays };
const christmas = { date: '2026-12-25', label: 'Christmas Day' };
const exceptional = (start: string, end: string, more: object = {}) => ({
  ...{ date: '2026-12-25', label: '', start, end, closed: false },
  ...more,
});
const late = times('09:00', '23:59');
const stJohns = { timezone: 'America/St_Johns', businessHours: { sunday: times('00:00', '04:00') } };
const samoa = (week: object) => ({ timezone: 'Pacific/Apia', businessHours: week });
const friday = times('09:00', '12:00');

/** What the model at random does not reach, or few cases of it do: test/organizations/opening-at-random.test.ts. */
const cases: Record<string, [hours: Hours, ...answers: [at: string, answer: object][]]> = {
  'begin with their first instant and end before their last': [
    berlin,
    ['2026-11-23T07:59:59.999Z', closed('week', '2026-11-23T08:00Z')],
    ['2026-11-23T08:00:00.000Z', open('week', '2026-11-23T16:00Z')],
    ['2026-11-23T15:59:59.999Z', open('week', '2026-11-23T16:00Z')],
    ['2026-11-23T16:00:00.000Z', closed('week', '2026-11-24T08:00Z')],
  ],
  'with an `end` of `23:59` include that minute (until midnight)': [
    { businessHours: { monday: late } },
    ['2026-11-23T23:59:59Z', open('week', '2026-11-24T00:00Z')],
    ['2026-11-24T00:00Z', closed('week', '2026-11-30T09:00Z')],
  ],
  'of special days interrupt an organization without weekly hours too': [
    { holidays: [christmas], exceptionalHours: [exceptional('10:00', '12:00', { date: '2027-03-01' })] },
    ['2026-11-23T11:00Z', open('none', '2026-12-25T00:00Z')],
    ['2026-12-25T11:00Z', closed('holiday', '2026-12-26T00:00Z')],
    ['2026-12-26T00:00Z', open('none', '2027-03-01T00:00Z')],
    ['2027-03-01T12:00Z', closed('exceptional', '2027-03-02T00:00Z')],
  ],
  'far away are found': [
    { businessHours: {}, exceptionalHours: [exceptional('10:00', '12:00', { date: '9998-05-04' })] },
    ['2026-11-23T11:00Z', closed('week', '9998-05-04T10:00Z')],
  ],
  // At 00:01 on Sunday the 7th it was 23:01 on Saturday again.
  'that have begun go on while clocks show the day before once more': [
    stJohns,
    ['2010-11-07T02:29:59Z', closed('week', '2010-11-07T02:30Z')],
    ['2010-11-07T02:45Z', open('week', '2010-11-07T07:30Z')],
  ],
  // Samoa had no Friday the 30th: Thursday ended at 10:00 UTC.
  'over the midnight before a day that is skipped count on': [
    samoa({ thursday: times('18:00', '02:00') }),
    ['2011-12-30T11:00Z', open('week', '2011-12-30T12:00Z')],
  ],
  'of a day that is skipped count on from before the skip': [
    samoa({ friday, saturday: times('08:00', '12:00') }),
    ['2011-12-30T09:00Z', closed('week', '2011-12-30T18:00Z')],
  ],
  'in a zone that only newer databases have count as in UTC': [
    { timezone: 'Factory', businessHours: workdays },
    ['2026-11-23T08:00Z', closed('week', '2026-11-23T09:00Z')],
  ],
};

test.each(Object.entries(cases))('Hours %s', (_, [hours, ...answers]) => {
  for (const [at, answer] of answers) {
    expect(opening(hours, at), at).toEqual(answer);
  }
});

test('The next change is found at the end of 200 exceptional hours of one day that touch each other', () => {
  const time = (minutes: number) => new Date(minutes * 60_000).toISOString().slice(11, 16);
  const exceptionalHours = Array.from({ length: 200 }, (_, index) =>
    exceptional(time(index * 5), time(index * 5 + 5)),
  );
  expect(opening({ exceptionalHours }, '2026-12-25T00:00Z').closesAt).toBe('2026-12-25T16:40Z');
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
  expect(opening(hours, '2026-11-23T11:00Z')).toEqual(closed('holiday', '2034-07-24T09:00Z'));
});
