import { expect, test } from 'vitest';
import { FilterPattern, passes } from '../../infra/local/template/filter-patterns.ts';

const record = { eventName: 'INSERT', dynamodb: { Keys: { pk: { S: 'ORG#1' } } } };

const parsed = (pattern: object) => FilterPattern.parse(JSON.stringify(pattern));
const withKey = (rule: object) => ({ dynamodb: { Keys: { pk: { S: [rule] } } } });

test.each([
  [{ eventName: ['INSERT'] }, true],
  [{ eventName: ['REMOVE', 'INSERT'] }, true],
  [{ eventName: ['REMOVE'] }, false],
  [{ eventName: ['INSERT'], dynamodb: { Keys: { pk: { S: ['ORG#2'] } } } }, false],
  [withKey({ prefix: 'ORG#' }), true],
  [withKey({ prefix: 'USER#' }), false],
  [{ dynamodb: { NewImage: { pk: { S: ['ORG#1'] } } } }, false],
  [{}, true],
])('%j lets the record pass: %s', (pattern, isLetPass) => {
  expect(passes([parsed(pattern)], record)).toBe(isLetPass);
});

test('A record passes when any of several patterns matches', () => {
  const patterns = [{ eventName: ['REMOVE'] }, { eventName: ['INSERT'] }].map(parsed);
  expect(passes(patterns, record)).toBe(true);
  expect(passes(patterns.slice(0, 1), record)).toBe(false);
});

test.each([{ wildcard: 'I*' }, { exists: true }, { 'anything-but': ['x'] }, { numeric: ['>', 0] }])(
  'The rule %j, which is not known, is an error and not a silent pass',
  (rule) => {
    expect(() => parsed({ eventName: [rule] })).toThrow('the local host supports only texts and prefixes');
  },
);
