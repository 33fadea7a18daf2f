import { expect, test } from 'vitest';
import { openingAt } from '../../shared/organizations/opening.ts';
import { randomness } from '../harness/randomness.ts';
import { modelOpening } from './opening-model.ts';
import { clockChanges, randomCase, zones } from './random-hours.ts';

/** `CASES=300000` for a long run. */
const cases = Number(process.env.CASES ?? 1_500);

test('The ten years of the cases have hundreds of changes of clocks, in 30 zones', () => {
  const changes = [...clockChanges.values()].map(({ length }) => length);
  expect(zones).toHaveLength(30);
  expect(changes.filter((count) => count > 0).length).toBeGreaterThan(20);
  expect(changes.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(300);
});

test('Whether an organization is open, why, and when that changes, is as a model with other arithmetic says', () => {
  const random = randomness(11);
  const seen = new Map<string, number>();
  for (let index = 0; index < cases; index += 1) {
    const { hours, instant } = randomCase(random);
    const days = random.chance(0.05) ? 90 : 8;
    const expected = modelOpening(hours, instant, days);
    const { open, because, opensAt, closesAt } = openingAt(hours, new Date(instant));
    const change = (open ? closesAt : opensAt)?.getTime();
    const about = `case ${index}: ${JSON.stringify(hours)} at ${new Date(instant).toISOString()}`;
    expect({ open, because, change: expected.change === 'later' ? 'later' : change }, about).toEqual(
      expected,
    );
    expect(open ? opensAt : closesAt, about).toBeUndefined();
    if (expected.change === 'later' && change !== undefined) {
      expect(modelOpening(hours, change - 1, 2).open, about).toBe(open);
      expect(modelOpening(hours, change, 2).open, about).toBe(!open);
    }
    const kind = `${open ? 'open' : 'closed'}, ${because}, ${change === undefined ? 'for ever' : 'until'}`;
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
  }
  // Every kind of answer comes up.
  expect([...seen.keys()].sort()).toEqual([
    'closed, exceptional, for ever',
    'closed, exceptional, until',
    'closed, holiday, for ever',
    'closed, holiday, until',
    'closed, week, for ever',
    'closed, week, until',
    'open, exceptional, for ever',
    'open, exceptional, until',
    'open, none, for ever',
    'open, none, until',
    'open, week, for ever',
    'open, week, until',
  ]);
});
