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
    const { skippedFields } = fieldsThatFit(newer);
    expect(skippedFields.length).toBeGreaterThan(0);
    expect(most()).toBeLessThanOrEqual(2);
  },
);

test('Custom fields that are there already are measured at most three times, however many come', () => {
  const kept = countedFields(20);
  const newer = new Map(Array.from({ length: 5_000 }, (_, index) => [`newer ${index}`, 1]));
  expect(fieldsThatFit(newer, kept.fields).skippedFields).toHaveLength(5_000 - 30);
  expect(kept.most()).toBeLessThanOrEqual(3);
});

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test.each(['x', 'é', '"', '\u0001', '👋'])(
  'A custom field may fill what is left of the 16 KB to the last byte, even with many %j',
  (character) => {
    const others = { a: [1], long: 'x'.repeat(9_000) };
    const room = 16 * 1024 - bytes({ ...others, text: '' });
    const most = Math.floor(room / (bytes(character) - 2));
    const fits = (length: number) => {
      const fields = { ...others, wide: 'x'.repeat(20_000), text: character.repeat(length) };
      const { skippedFields } = fieldsThatFit(new Map(Object.entries(fields)));
      return !skippedFields.includes('text');
    };
    expect([fits(most), fits(most + 1)]).toEqual([true, false]);
  },
);

test('A newer value takes the place of the kept one, so that only the difference counts', () => {
  const kept = { text: 'x'.repeat(16_000), other: 1 };
  const newer = { text: 'y'.repeat(16_300), more: 'z'.repeat(1_000), other: 2 };
  expect(fieldsThatFit(new Map(Object.entries(newer)), kept)).toEqual({
    fields: { text: newer.text, other: 2 },
    skippedFields: ['more'],
  });
});
