import { expect, test } from 'vitest';
import { fieldsThatFit } from '../../functions/outreach/model/fitting-fields.ts';

/** So many fields, each of which counts how often it is turned into JSON. */
function countedFields(count: number) {
  const times = new Map<string, number>();
  const fields = Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const name = `field ${index}`;
      const toJSON = () => {
        times.set(name, (times.get(name) ?? 0) + 1);
        return 'x'.repeat(index === 0 ? 9_000 : 200);
      };
      return [name, { toJSON }];
    }),
  );
  return { fields, newer: new Map(Object.entries(fields)), most: () => Math.max(0, ...times.values()) };
}

test.each([45, 60, 5_000])(
  'Each of %i custom fields is measured at most twice, so that many cost no more',
  (count) => {
    const { newer, most } = countedFields(count);
    const { leftOut } = fieldsThatFit(newer);
    expect(leftOut.length).toBeGreaterThan(0);
    expect(most()).toBeLessThanOrEqual(2);
  },
);

test('Custom fields that are there already are measured at most three times, however many come', () => {
  const kept = countedFields(20);
  const newer = new Map(Array.from({ length: 5_000 }, (_, index) => [`newer ${index}`, 1]));
  expect(fieldsThatFit(newer, kept.fields).leftOut).toHaveLength(5_000 - 30);
  expect(kept.most()).toBeLessThanOrEqual(3);
});
