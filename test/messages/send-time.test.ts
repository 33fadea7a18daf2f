import { expect, test } from 'vitest';
import { parseSendTime } from '../../functions/messages/model/send-time.ts';

// "at most a year ahead"

const problem = 'sendAt must be in the future, and at most a year ahead';

test.each([
  ['2026-11-23T12:00:00.000Z', '2027-11-23T12:00:00.000Z', '2027-11-23T12:00:00.001Z'],
  ['2027-03-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z', '2028-03-01T00:00:00.001Z'],
  // A year that has a 29 February is not a day shorter.
  ['2027-11-23T12:00:00.000Z', '2028-11-23T12:00:00.000Z', '2028-11-23T12:00:00.001Z'],
  ['2028-02-29T12:00:00.000Z', '2029-03-01T12:00:00.000Z', '2029-03-01T12:00:00.001Z'],
])('At %s a message can be scheduled until %s, and not a millisecond later', (now, last, tooLate) => {
  expect(parseSendTime(last, 'UTC', new Date(now))).toEqual(new Date(last));
  expect(() => parseSendTime(tooLate, 'UTC', new Date(now))).toThrow(problem);
});

test('A message can be scheduled for the next millisecond, and not for this one', () => {
  const now = new Date('2026-11-23T12:00:00.000Z');
  expect(parseSendTime('2026-11-23T13:00:00.001+01:00', 'UTC', now)).toEqual(
    new Date('2026-11-23T12:00:00.001Z'),
  );
  expect(() => parseSendTime('2026-11-23T12:00:00.000Z', 'UTC', now)).toThrow(problem);
});
