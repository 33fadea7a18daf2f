import { expect, test } from 'vitest';
import { recordFilter } from '../../infra/local/filter-patterns.ts';

const record = {
  eventName: 'INSERT',
  size: 5,
  dynamodb: { NewImage: { pk: { S: 'ORG#1' }, tags: { SS: ['a', 'b'] }, gone: { NULL: true } } },
};

const image = (rule: object) => ({ dynamodb: { NewImage: rule } });

test.each([
  [{ eventName: ['INSERT'] }, true],
  [{ eventName: ['REMOVE', 'INSERT'] }, true],
  [{ eventName: ['REMOVE'] }, false],
  [{ eventName: ['INSERT'], ...image({ pk: { S: ['ORG#2'] } }) }, false],
  [image({ pk: { S: [{ prefix: 'ORG#' }] } }), true],
  [image({ pk: { S: [{ prefix: 'USER#' }] } }), false],
  [image({ pk: { S: [{ suffix: '#1' }] } }), true],
  [image({ pk: { S: [{ 'equals-ignore-case': 'org#1' }] } }), true],
  [image({ pk: { S: [{ 'anything-but': ['ORG#1'] }] } }), false],
  [image({ pk: { S: [{ 'anything-but': ['ORG#2'] }] } }), true],
  [image({ pk: { S: [{ 'anything-but': { prefix: 'ORG' } }] } }), false],
  [image({ pk: { S: [{ exists: true }] } }), true],
  [image({ other: { S: [{ exists: false }] } }), true],
  [image({ pk: { S: [{ exists: false }] } }), false],
  [image({ pk: [{ exists: true }] }), false],
  [image({ other: { S: [{ 'anything-but': ['x'] }] } }), false],
  [image({ tags: { SS: ['b'] } }), true],
  [image({ tags: { SS: ['c'] } }), false],
  [image({ gone: { NULL: [true] } }), true],
  [{ size: [{ numeric: ['>', 0, '<=', 5] }] }, true],
  [{ size: [{ numeric: ['>', 5] }] }, false],
  [{ $or: [{ eventName: ['REMOVE'] }, { size: [5] }] }, true],
  [{ $or: [{ eventName: ['REMOVE'] }, { size: [6] }] }, false],
  [{}, true],
])('%j lets the record pass: %s', (pattern, passes) => {
  expect(recordFilter([JSON.stringify(pattern)])(record)).toBe(passes);
});

test('a record passes when any of several patterns matches, and when there are none', () => {
  const patterns = [{ eventName: ['REMOVE'] }, { eventName: ['INSERT'] }].map((pattern) =>
    JSON.stringify(pattern),
  );
  expect(recordFilter(patterns)(record)).toBe(true);
  expect(recordFilter([])(record)).toBe(true);
});

test('a rule that is not known is an error, not a silent pass', () => {
  const filter = recordFilter([JSON.stringify({ eventName: [{ wildcard: 'I*' }] })]);
  expect(() => filter(record)).toThrow('wildcard');
});
