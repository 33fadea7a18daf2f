import { expect, test } from 'vitest';
import { StableValues } from './stable-values.ts';

const sent = JSON.stringify(['/api/organizations/1/open?at=2026-11-23T15:00:00Z', null]);

/** As it is shown when the host was seeded and answered at these moments. */
function shown(time: string, { answered = '2026-11-21T10:00:05.123Z', request = sent } = {}): string {
  const answeredAt = new Date(answered);
  return new StableValues({ seededAt: new Date(answeredAt.getTime() - 5_000), answeredAt }, request).text(
    time,
  );
}

test.each(['2026-11-21T10:00:05.123Z', '2027-03-01T08:00:00.000Z', '2026-11-23T15:00:01.500Z'])(
  'What follows from a time in the request stays as it is, whenever the host is asked: %s',
  (answered) => {
    expect(shown('2026-11-23T23:00:00.000Z', { answered })).toBe('2026-11-23T23:00:00.000Z');
    expect(shown('2026-11-23T15:00:00.000Z', { answered })).toBe('2026-11-23T15:00:00.000Z');
    expect(shown(answered, { answered })).toBe('2026-11-20T09:30:00.000Z');
  },
);

test('Times of the host move with the moment of the recording', () => {
  expect(shown('2026-11-21T10:05:04.900Z')).toBe('2026-11-20T09:35:00.000Z');
  expect(shown('2026-11-21T09:00:00.123Z')).toBe('2026-11-20T08:30:00.000Z');
  expect(shown('2026-11-21T11:00:00.000Z', { request: '["/api/health",null]' })).toBe(
    '2026-11-20T10:30:00.000Z',
  );
});
