import { faker } from '@faker-js/faker';
import { expect, test } from 'vitest';
import { hasKeyTwice, jsonMembers, jsonObject } from '../../functions/workflows/model/definition/document.ts';

const strings = ['', 'a', '"', '\\', '\\"', '{"a":1}', '],[', ':', ' : ', '\n', 'é😀', '\u2028', '10', '2'];

function randomValue(depth: number): unknown {
  const length = faker.number.int(depth > 4 ? 0 : 4);
  const make = faker.helpers.arrayElement([
    () => faker.helpers.arrayElement(strings),
    () => faker.helpers.arrayElement([0, -1, 1.5, 1e300, null, true, false]),
    () => Array.from({ length }, () => randomValue(depth + 1)),
    () => randomObject(length, depth),
  ]);
  return make();
}

function randomObject(length: number, depth: number): object {
  const keys = Array.from({ length }, () => `${faker.helpers.arrayElement(strings)}${faker.number.int(9)}`);
  return Object.fromEntries(keys.map((key) => [key, randomValue(depth + 1)]));
}

test('The members of a JSON object are those that parsing finds, however it is written', () => {
  faker.seed(1);
  for (let round = 0; round < 2_000; round += 1) {
    const value = randomObject(faker.number.int(5), 0);
    const json = JSON.stringify(value, null, faker.helpers.arrayElement([0, 1, '\t', '  ']));
    const members = jsonMembers(json);
    const parsed = Object.fromEntries([...members].map(([key, text]) => [key, JSON.parse(text)]));
    expect(parsed).toEqual(value);
    expect([...members.values()].filter((text) => !json.includes(text))).toEqual([]);
    expect(JSON.parse(jsonObject(members))).toEqual(value);
    expect(hasKeyTwice(json)).toBe(false);
  }
});

test.each([
  ['{}', []],
  ['', []],
  [' \n', []],
  ['{ "a" : 1 }', [['a', '1']]],
  [
    '{"a":1.0,"b":-0 ,"c":true\n}',
    [
      ['a', '1.0'],
      ['b', '-0'],
      ['c', 'true'],
    ],
  ],
  [
    '{"a\\"":"b\\\\","\\u0061":"\\""}',
    [
      ['a"', '"b\\\\"'],
      ['a', '"\\""'],
    ],
  ],
  [
    '{"b":[{"c":"}]"}, 2 ],"a":{}}',
    [
      ['b', '[{"c":"}]"}, 2 ]'],
      ['a', '{}'],
    ],
  ],
])('The members of a JSON object of %s are %j', (json, members) => {
  expect([...jsonMembers(json)]).toEqual(members);
});

test.each([
  ['{"a":1,"a":1}', true],
  ['{"x":[[{"a":1},{"a":1}]],"y":{"a":{"b":1,"c":2,"b":3}}}', true],
  ['{"a":1,"\\u0061":2}', true],
  ['{"a":{"a":{"a":["a","a"]}},"b":"a\\":"}', false],
  ['{"a" \t:\n1, "b":[":", "c"]}', false],
])('The members of a JSON object have a key twice somewhere in %s: %s', (json, expected) => {
  expect(hasKeyTwice(json)).toBe(expected);
});
