import { expect, test } from 'vitest';
import { filled } from '../../shared/messages/fill-placeholders.ts';
import { storedContact } from '../contacts/stored-contact.ts';

const contactWith = (fields: Parameters<typeof storedContact>[0]) => ({
  contact: storedContact(fields),
  pipelines: [],
});
const ada = contactWith({
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
  phoneNumbers: [
    { value: '+15550100', label: '', isPrimary: false },
    { value: '+15550101', label: '', isPrimary: true },
  ],
  customFields: {
    city: 'London',
    'favourite colour': 'blue',
    boxes: 40,
    isVip: true,
    nothing: null,
    list: ['a', 'b'],
    noList: [],
    nested: { a: 1 },
    firstName: 'Not Ada',
    template: '{{email}}',
    price: '$& $1 $$',
    constructor: 'Built',
    blank: ' \n ',
    unseen: '\u200b',
  },
});
const nobody = contactWith({
  firstName: '',
  lastName: '',
  email: null,
  phoneNumbers: [],
  customFields: {},
});

test.each([
  ['Hello {{firstName}} {{lastName}}!', 'Hello Ada Lovelace!'],
  ['{{fullName}}, {{contactName}}', 'Ada Lovelace, Ada Lovelace'],
  ['{{email}} {{phone}}', 'ada@example.com +15550101'],
  ['{{city}} {{favourite colour}} {{boxes}} {{isVip}}', 'London blue 40 true'],
  ['{{ firstName }}{{\n\tcity\u00a0}}', 'AdaLondon'],
  ['{{unknown}}{{}}{{ }}', ''],
  ['{{nothing}}{{noList}}{{nested}}', ''],
  ['{{list}}', 'a, b'],
  ['{{constructor}} {{toString}}{{__proto__}}{{hasOwnProperty}}', 'Built '],
  ['{firstName} {{firstName} {firstName}}', '{firstName} {{firstName} {firstName}}'],
  ['{{{firstName}}}', '{Ada}'],
  ['{{firstName}}{{firstName}}', 'AdaAda'],
  ['no placeholder', 'no placeholder'],
  ['', ''],
])('A template %j becomes %j', (template, text) => {
  expect(filled(template, ada)).toBe(text);
});

test.each([
  ['Hello {{firstName|there}}', 'Hello Ada', 'Hello there'],
  ['Hello {{ firstName | you there }}!', 'Hello Ada!', 'Hello you there!'],
  ['{{unknown|a|b}}', 'a|b', 'a|b'],
  ['{{city|}}{{|x}}', 'Londonx', 'x'],
  ['{{blank|there}} {{unseen|there}}!', 'there there!', 'there there!'],
  ['Hi{{blank}}{{unseen}}!', 'Hi!', 'Hi!'],
  ['{{nothing|none}} {{noList|none}} {{list|none}}', 'none none a, b', 'none none none'],
])('A template %j has what stands after the bar where a value is missing', (template, known, unknown) => {
  expect([filled(template, ada), filled(template, nobody)]).toEqual([known, unknown]);
});

test('A template is filled once: what a contact is called is text, and no placeholder or pattern', () => {
  expect(filled('{{template}} {{price}}', ada)).toBe('{{email}} $& $1 $$');
});

test('A template leaves nothing where the contact has nothing', () => {
  const all = '{{firstName}}{{lastName}}{{fullName}}{{contactName}}{{email}}{{phone}}{{city}}';
  expect(filled(all, nobody)).toBe('');
});

test.each(['{', '{{', '{{ ', '{{a'])(
  'A text of a million times %j, made to be slow, is filled at once',
  (part) => {
    const start = performance.now();
    filled(`${part.repeat(1_000_000)}}}`, ada);
    filled(`{{${' '.repeat(1_000_000)}${part}`, ada);
    // What takes the square of the length would take hours.
    expect(performance.now() - start).toBeLessThan(60_000);
  },
);
