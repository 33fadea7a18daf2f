import { expect, test } from 'vitest';
import { applicationWith, conversationWith, decided, pipelineWith, stateWith } from './decided.ts';

const passed = { status: 'passed' };
const skipped = (reason: string) => ({ outcome: { status: 'skipped', reason } });
const pipelines = [
  pipelineWith('sales', 'Contact', ['New', 'Won']),
  pipelineWith('loans', 'Application', ['Sent', 'Won']),
];

const [first, second, third] = ['01A', '01B', '01C'].map(applicationWith);
const applications = [second, third, first].filter((application) => application !== undefined);

test.each([
  ['the newest', {}, '01C'],
  ['the one that its event is about', { event: { applicationId: '01A' } }, '01A'],
  [
    'the one that it made last',
    {
      event: { applicationId: '01C' },
      steps: { one: { applicationId: '01A' }, two: { applicationId: '01B' } },
    },
    '01B',
  ],
])('A run moves an application of the contact: %s', (_, context, id) => {
  const state = stateWith({}, { applications });
  expect(decided('moveApplication', { stage: 'Won' }, { context: { state, pipelines, ...context } })).toEqual(
    {
      outcome: { ...passed, resultIds: { applicationId: id } },
      effect: { operation: 'move-application', path: { id }, body: { stage: 'Won' } },
    },
  );
});

test('Without an application there is none to move, and never another in place of the one that the run made', () => {
  const move = (context: object) => decided('moveApplication', { stage: 'Won' }, { context });
  expect(move({})).toEqual(skipped('no_application'));
  const state = stateWith({}, { applications });
  expect(move({ state, steps: { one: { applicationId: 'deleted' } } })).toEqual(skipped('no_application'));
});

const conversations = [
  conversationWith('old', { lastMessageAt: '2026-01-01T00:00:00.000Z' }),
  conversationWith('call', { channel: 'voice', lastMessageAt: '2026-02-01T00:00:00.000Z' }),
  conversationWith('done', { isResolved: true, lastMessageAt: '2026-03-01T00:00:00.000Z' }),
];

test.each([
  ['the open one with the latest message', {}, {}, 'call'],
  ['that of its channel', { channel: 'sms' }, {}, 'old'],
  ['the one that its event is about', {}, { conversationId: 'old' }, 'old'],
  ['the one of its event even if it is resolved', {}, { conversationId: 'done' }, 'done'],
])('A run resolves a conversation of the contact: %s', (_, data, event, id) => {
  const state = stateWith({}, { conversations });
  expect(decided('resolveConversation', data, { context: { state, event } })).toEqual({
    outcome: { ...passed, resultIds: { conversationId: id } },
    effect: { operation: 'update-conversation', path: { id }, body: { isResolved: true } },
  });
});

test('Without a conversation there is none to resolve', () => {
  expect(decided('resolveConversation', {})).toEqual(skipped('no_conversation'));
  const state = stateWith({}, { conversations });
  const data = { channel: 'webchat' };
  expect(decided('resolveConversation', data, { context: { state } })).toEqual(skipped('no_conversation'));
});
