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
const everyDay = (day: typeof nineToFive) => ({
  ...{ monday: day, tuesday: day, wednesday: day, thursday: day, friday: day, saturday: day, sunday: day },
});

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
const nights = everyDay(times('18:00', '02:00'));
const christmas = { date: '2026-12-25', label: 'Christmas Day' };
const exceptional = (start: string, end: string, more: object = {}) => ({
  ...{ date: '2026-12-25', label: '', start, end, closed: false },
  ...more,
});
const late = times('09:00', '23:59');
const santiago = { timezone: 'America/Santiago', businessHours: { saturday: late } };
const onSunday = (start: string, end: string) => ({
  timezone: 'Europe/Berlin',
  businessHours: { sunday: times(start, end) },
});
const stJohns = { timezone: 'America/St_Johns', businessHours: { sunday: times('00:00', '04:00') } };
const samoa = (week: object) => ({ timezone: 'Pacific/Apia', businessHours: week });
const friday = times('09:00', '12:00');

/** By what hours are like; the answers at some instants. The model at random has many more: test/organizations/opening-at-random.test.ts. */
const cases: Record<string, [hours: Hours, ...answers: [at: string, answer: object][]]> = {
  'begin with their first instant and end before their last': [
    berlin,
    ['2026-11-23T07:59:59.999Z', closed('week', '2026-11-23T08:00Z')],
    ['2026-11-23T08:00:00.000Z', open('week', '2026-11-23T16:00Z')],
    ['2026-11-23T15:59:59.999Z', open('week', '2026-11-23T16:00Z')],
    ['2026-11-23T16:00:00.000Z', closed('week', '2026-11-24T08:00Z')],
  ],
  'leave days out: after Friday comes Monday': [
    berlin,
    ['2026-11-27T16:00Z', closed('week', '2026-11-30T08:00Z')],
  ],
  'do not hold on a day that is not enabled, which needs no times': [
    { ...berlin, businessHours: { ...workdays, monday: { enabled: false } } },
    ['2026-11-23T09:00Z', closed('week', '2026-11-24T08:00Z')],
  ],
  'that are missing altogether mean open, without an end': [{}, ['2026-11-23T03:00Z', open('none')]],
  'without a single day mean closed, and no next opening': [
    { businessHours: {} },
    ['2026-11-23T12:00Z', closed('week')],
  ],
  'over midnight belong to the day on which they begin': [
    { businessHours: { friday: times('18:00', '02:00') } },
    ['2026-11-28T01:59Z', open('week', '2026-11-28T02:00Z')],
    ['2026-11-28T02:00Z', closed('week', '2026-12-04T18:00Z')],
  ],
  'over midnight are not cut by a holiday on the day after, and do not begin on a holiday': [
    { businessHours: nights, holidays: [christmas] },
    ['2026-12-25T01:00Z', open('week', '2026-12-25T02:00Z')],
    ['2026-12-25T02:00Z', closed('holiday', '2026-12-26T18:00Z')],
    ['2026-12-26T01:00Z', closed('week', '2026-12-26T18:00Z')],
  ],
  'that end when the next ones begin are one opening': [
    { businessHours: { monday: times('12:00', '00:00'), tuesday: times('00:00', '08:00') } },
    ['2026-11-23T12:00Z', open('week', '2026-11-24T08:00Z')],
    ['2026-11-24T00:00Z', open('week', '2026-11-24T08:00Z')],
  ],
  'that end when they begin last a whole day': [
    { businessHours: { monday: times('08:00', '08:00') } },
    ['2026-11-24T07:59Z', open('week', '2026-11-24T08:00Z')],
  ],
  'of seven whole days never end': [
    { businessHours: everyDay(times('08:00', '08:00')) },
    ['2026-11-24T07:59Z', open('week')],
  ],
  'with an `end` of `23:59` include that minute (until midnight)': [
    { businessHours: { monday: late } },
    ['2026-11-23T23:59:59Z', open('week', '2026-11-24T00:00Z')],
    ['2026-11-24T00:00Z', closed('week', '2026-11-30T09:00Z')],
  ],
  'with an `end` of `23:58` do not include that minute': [
    { businessHours: { monday: times('09:00', '23:58') } },
    ['2026-11-23T23:58Z', closed('week', '2026-11-30T09:00Z')],
  ],
  'until 23:59 end where clocks go from 23:59:59 to 01:00': [
    santiago,
    ['2026-09-06T03:59:59Z', open('week', '2026-09-06T04:00Z')],
    ['2026-09-06T04:00Z', closed('week', '2026-09-12T12:00Z')],
  ],
  'of the week are closed on a holiday': [
    { businessHours: workdays, holidays: [christmas] },
    ['2026-12-25T11:00Z', closed('holiday', '2026-12-28T09:00Z')],
  ],
  'that are exceptional open a holiday, and are all the hours of the day': [
    { businessHours: workdays, holidays: [christmas], exceptionalHours: [exceptional('10:00', '12:00')] },
    ['2026-12-25T09:30Z', closed('exceptional', '2026-12-25T10:00Z')],
    ['2026-12-25T10:00Z', open('exceptional', '2026-12-25T12:00Z')],
    ['2026-12-25T12:00Z', closed('exceptional', '2026-12-28T09:00Z')],
  ],
  'that are exceptional with “`closed: true` ignores times” close a day': [
    { businessHours: workdays, exceptionalHours: [exceptional('10:00', '12:00', { closed: true })] },
    ['2026-12-25T11:00Z', closed('exceptional', '2026-12-28T09:00Z')],
  ],
  'of special days interrupt an organization without weekly hours too': [
    { holidays: [christmas], exceptionalHours: [exceptional('10:00', '12:00', { date: '2027-03-01' })] },
    ['2026-11-23T11:00Z', open('none', '2026-12-25T00:00Z')],
    ['2026-12-25T11:00Z', closed('holiday', '2026-12-26T00:00Z')],
    ['2026-12-26T00:00Z', open('none', '2027-03-01T00:00Z')],
    ['2027-03-01T12:00Z', closed('exceptional', '2027-03-02T00:00Z')],
  ],
  'of one day add up when they are exceptional': [
    { exceptionalHours: [exceptional('14:00', '16:00'), exceptional('10:00', '12:00')] },
    ['2026-12-25T12:30Z', closed('exceptional', '2026-12-25T14:00Z')],
  ],
  'far away are found': [
    { businessHours: {}, exceptionalHours: [exceptional('10:00', '12:00', { date: '9998-05-04' })] },
    ['2026-11-23T11:00Z', closed('week', '9998-05-04T10:00Z')],
  ],
  'move in UTC when clocks change, and not for the organization': [
    { timezone: 'America/New_York', businessHours: workdays },
    ['2026-10-30T20:00Z', open('week', '2026-10-30T21:00Z')],
    ['2026-10-30T22:00Z', closed('week', '2026-11-02T14:00Z')],
  ],
  'from a time that is skipped count on from before the skip: 02:30 is 03:30': [
    onSunday('02:30', '05:00'),
    ['2026-03-29T01:29Z', closed('week', '2026-03-29T01:30Z')],
  ],
  'from a time that comes twice begin with its first occurrence': [
    onSunday('02:30', '05:00'),
    ['2026-10-24T20:00Z', closed('week', '2026-10-25T00:30Z')],
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
