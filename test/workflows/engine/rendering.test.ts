import { expect, test } from 'vitest';
import { renderedText } from '../../../functions/workflows/model/execution/texts.ts';
import { contextWith, stateWith } from './step-context.ts';

const now = new Date('2026-11-22T12:00:00.000Z');
const context = contextWith({
  state: stateWith({
    firstName: 'Ada',
    customFields: {
      city: 'London',
      likes: ['tea', 'cake'],
      'event.text': 'a custom field',
      template: '{{event.text}}',
    },
    tags: ['vip', 'keen'],
  }),
  event: {
    changed: [],
    mixed: ['one', { by: 'Bo' }, '', 2, ['three']],
    text: 'Yes, $& please',
    duration: 0,
    nested: { by: 'Bo' },
  },
  steps: { 'note.1': { noteId: '01N', status: 'passed' } },
});

test.each([
  ['Hi {{firstName}} from {{city}}', 'Hi Ada from London'],
  ['{{contact.firstName}} {{contact.city}}, {{contact.customFields.city}}', 'Ada London, London'],
  [
    'You wrote: {{ event.text }} ({{event.duration}} s, {{event.nested.by}})',
    'You wrote: Yes, $& please (0 s, Bo)',
  ],
  ['{{step.note.1.noteId}} {{step.note.2.noteId|none}}', '01N none'],
  ['{{event.missing|nothing}} {{contact.email|no address}}', 'nothing no address'],
  ['{{contact.tags}}{{event.nested}}', 'vip, keen'],
  ['{{event.mixed}} {{event.changed|none}}', 'one, 2 none'],
  ['{{likes}} {{contact.customFields.likes}}', 'tea, cake tea, cake'],
  ['{{template}}', '{{event.text}}'],
  ['{{businessHours.open}}', 'true'],
  ['{{event}} {{contact|x}}', ' x'],
])('The text %j becomes %j', (text, expected) => {
  expect(renderedText(text, { context, now })).toBe(expected);
});

test('A text about a contact that is gone has fallbacks alone', () => {
  const gone = { context: { ...context, state: undefined }, now };
  expect(renderedText('{{firstName|there}} {{city}}{{event.nested.by}}', gone)).toBe('there Bo');
});
