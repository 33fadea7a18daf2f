import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { keyTextBetween } from '../../shared/table/cursor.ts';

test.each([
  ['CALL#01JDA7', 'CALL#01JD92', 'CALL#01JDA'],
  ['b', 'a', 'b'],
  ['abc', 'ab', 'abc'],
  ['2026-11-20#x', '2026-09-01#y', '2026-1'],
])('Between %s and, descending, %s lies %s', (last, next, place) => {
  expect(keyTextBetween(last, next, { descending: true })).toBe(place);
});

test.each([
  ['CALL#01JD92', 'CALL#01JDA7', 'CALL#01JDA'],
  ['a', 'bc', 'b'],
  ['ab', 'abcd', 'abc'],
  // The next one itself would be passed over.
  ['a', 'b', 'a'],
])('Between %s and, ascending, %s lies %s', (last, next, place) => {
  expect(keyTextBetween(last, next, { descending: false })).toBe(place);
});

test('A place lies between its neighbours, and spells out neither of two ids of any times', () => {
  for (let round = 0; round < 100; round += 1) {
    const [low = '', high = ''] = [ulid(round * 7), ulid(round * 7 + (round % 3))].sort();
    const down = keyTextBetween(high, low, { descending: true });
    expect(low < down && down <= high).toBe(true);
    const up = keyTextBetween(low, high, { descending: false });
    expect(low <= up && up < high).toBe(true);
    expect([low, high]).not.toContain(down);
    expect([low, high]).not.toContain(up);
  }
});
