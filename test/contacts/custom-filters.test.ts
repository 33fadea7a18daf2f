import { expect, test } from 'vitest';
import { loadCustomFieldTests } from '../../shared/board/custom-filters.ts';
import { Expressions } from '../../shared/board/expression.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { hoursAgo, namesIn, newContactsClient } from './client.ts';

const product = await setUpProduct();
const contacts = await newContactsClient(product);
const fields: Record<string, Record<string, unknown>> = {
  london: { city: 'London', size: 42, vip: true, tags: ['red', 'Blue'] },
  paris: { city: 'Paris (north)', size: 42.5, vip: false, tags: ['red'] },
  text: { city: 'Londonderry', size: '42', vip: 'true', tags: [] },
  none: {},
  odd: { constructor: 'built', toString: 'text', 'a.b': 'dotted', '': 'nameless', '😀': 'smile' },
  hostile: { city: `${'a'.repeat(8_000)}!`, nothing: null, deep: { city: 'London' } },
};
for (const [index, [firstName, customFields]] of Object.entries(fields).entries()) {
  await contacts.created({ firstName, customFields }, hoursAgo(index));
}

test.each<[string, Record<string, unknown>, string[]]>([
  ['a text is a regular expression, whatever the case', { city: '^lond' }, ['london', 'text']],
  ['it may match anywhere', { city: 'ondo' }, ['london', 'text']],
  ['it may be bound to both ends', { city: '^LONDON$' }, ['london']],
  ['it may hold alternatives', { city: 'paris|derry' }, ['paris', 'text']],
  ['brackets are taken as themselves when escaped', { city: '\\(north\\)' }, ['paris']],
  ['a number is equal', { size: 42 }, ['london']],
  ['a broken number is equal', { size: 42.5 }, ['paris']],
  ['true is equal', { vip: true }, ['london']],
  ['false is equal, and nothing is not false', { vip: false }, ['paris']],
  ['of an array any matches', { size: [42, 42.5] }, ['london', 'paris']],
  ['texts of an array are expressions too', { city: ['^paris', 'derry$'] }, ['paris', 'text']],
  ...[[], '', null, [''], [null, []]].map((city): [string, Record<string, unknown>, string[]] => [
    `with ${JSON.stringify(city)} filter nothing, as elsewhere`,
    { city },
    Object.keys(fields),
  ]),
  ['pass over what is empty among others', { city: ['', '^paris', null], size: '' }, ['paris']],
  ['a field that is a list matches by any item', { tags: 'blue' }, ['london']],
  ['all keys must match', { city: 'lond', vip: true }, ['london']],
  ['a key that no contact has finds nothing', { nowhere: '.*' }, []],
  ['a key named like a method finds own fields alone', { constructor: '.' }, ['odd']],
  ['so does toString', { toString: 'text' }, ['odd']],
  ['and hasOwnProperty, which nobody has', { hasOwnProperty: '.' }, []],
  ['a dot in a key is part of its name', { 'a.b': 'dotted' }, ['odd']],
  ['a key may be empty or an emoji', { '': 'nameless', '😀': 'smile' }, ['odd']],
  ['an empty field matches nothing', { nothing: '.*' }, []],
  ['an object matches nothing', { deep: 'London' }, []],
])('Custom filters %s', async (_, customFilters, found) => {
  expect(await namesIn(contacts, { customFilters })).toEqual(found);
});

// Source: CaseFolding.txt, C and F; Unicode Standard, D146; decisions 6, "search": custom filters fold case, but keep accents.
test.each<[expression: string, value: string, isFound: boolean]>([
  ['STRASSE', 'Straße', true],
  ['straße', 'STRASSE', true],
  ['^stra(ß)+e$', 'STRASSSSE', true],
  ['^straß{2}e$', 'STRASSSSE', true],
  ['^straß?e$', 'strae', true],
  ['^STRA.E$', 'Straße', true],
  ['strassen', 'Straße', false],
  ['^[ß]$', 'ß', true],
  ['[^ß]a', 'xA', true],
  ['\\Qß.\\E', 'ß.', true],
  ['\\Qß.\\E', 'ßx', false],
  ['ſ', 'S', true],
  ['^ΟΔΟΣ$', 'οδος', true],
  ['i\u0307zmir', 'İzmir', true],
  ['İZMİR', 'i\u0307zmi\u0307r', true],
  ['^fisch', 'ﬁsch', true],
  ['ﬁsch$', 'FISCH', true],
  ['ﬁ+n', 'FIFIN', true],
  ['^anna$', 'An\u00adna', true],
  ['^an\u00ad?na$', 'anna', true],
  ['＊', 'a*b', true],
  ['^＊$', '', false],
  ['ᎠᎡ', 'ꭰꭱ', true],
  ['և', 'ԵՒ', true],
  ['jose', 'José', false],
  ['JOSÉ', 'josé', true],
  ['ırmak', 'irmak', false],
])('The custom filter %s finds %s, whatever the case: %j', async (expression, value, isFound) => {
  const [test] = await loadCustomFieldTests({ city: expression });
  expect(test?.matches(value)).toBe(isFound);
});

test.each(['(', '[', '*', 'a(?=b)', '(a)\\1', 'a{2,1}'])(
  'Custom filters refuse the expression %s and name the key, not the value',
  async (expression) => {
    for (const city of [expression, ['fine', expression]]) {
      const response = await contacts.list({ customFilters: { city } });
      expect(response).toMatchObject({ status: 400, body: { error: 'Invalid request' } });
      expect(response.body.message).toMatch(/^customFilters\.city /);
      expect(response.body.message).not.toContain(expression);
    }
  },
);

test('Custom filters take an expression of 256 characters and refuse one of 257, alone or in an array', async () => {
  const longest = '😀'.repeat(256);
  for (const city of [longest, ['London', longest]]) {
    expect((await contacts.list({ customFilters: { city } })).status).toBe(200);
  }
  for (const city of [`${longest}x`, ['London', `${longest}x`]]) {
    const response = await contacts.list({ customFilters: { city } });
    expect(response.status).toBe(400);
    expect(response.body.message).toMatch(/^customFilters\.city.* at most 256 characters/);
  }
});

test.each<[unknown]>([['text'], [['text']], [{ city: {} }], [{ city: [{}] }]])(
  'Custom filters refuse %j and name the field',
  async (customFilters) => {
    const response = await contacts.list({ customFilters });
    expect(response.status).toBe(400);
    expect(response.body.message).toMatch(/^customFilters/);
  },
);

test.each([
  ['go on, however long others keep the machine busy', 1, undefined],
  ['are refused once they have computed too long', 600, /^customFilters\.city takes too long/],
] as const)('Expressions %s', async (_, computed, refusal) => {
  let [time, processorTime] = [0, 0];
  const clocks = {
    time: () => {
      time += 600;
      return time;
    },
    processorTime: () => {
      processorTime += computed;
      return processorTime;
    },
  };
  const expressions = new Expressions(clocks);
  const find = async () => {
    const { test: matches } = await expressions.compile('city', 'lon');
    return Array.from({ length: 10 }, () => matches('London'));
  };
  await (refusal ? expect(find()).rejects.toThrow(refusal) : expect(find()).resolves.toContain(true));
});
