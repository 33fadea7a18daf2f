import { expect, test } from 'vitest';
import { businessHours } from '../../../shared/organizations/business-hours.ts';
import { decided, stateWith } from './decided.ts';

const seen = { template: undefined, isConfirmed: true, seesContact: true };
const skipped = (reason: string) => ({ outcome: { status: 'skipped', reason } });
const failed = (reason: string) => ({ outcome: { status: 'failed', reason } });
const sent = (content: string, more: object = {}) => ({
  outcome: { status: 'passed' },
  effect: { operation: 'send-message', body: { contactId: 'ada', content, ...more }, resultId: 'messageId' },
});
const optedOut = stateWith({ consent: { sms: 'out', since: '2026-01-01T00:00:00.000Z', source: 'keyword' } });
const hours = {
  ...businessHours.initial,
  businessHours: { monday: { enabled: true, start: '09:00', end: '17:00' } },
};
const [monday, sunday] = [new Date('2026-03-02T10:00:00Z'), new Date('2026-03-01T10:00:00Z')];

test('A text has its placeholders filled from the contact, the event and earlier steps, with what takes the place of missing ones', () => {
  const content =
    'Hi {{firstName}} {{email|there}}, {{event.tag}} {{ step.ask.way }} {{size}} {{contact.stage|no stage}}{{nothing}}';
  const context = {
    state: stateWith({ customFields: { size: 7 } }),
    event: { tag: 'vip' },
    steps: { ask: { way: 'true' } },
  };
  expect(decided('sendMessage', { content }, { context, extra: seen })).toEqual(
    sent('Hi Ada there, vip true 7 no stage'),
  );
});

test.each([
  ['Unknown Caller', 'Incoming Call'],
  ['New Contact', 'Outgoing Call'],
  ['Unknown Sender', 'Incoming SMS'],
])('A text to a contact whom nobody has named does not call it %s', (firstName, source) => {
  const state = stateWith({ firstName, lastName: '', source });
  const content = 'Hi {{firstName|there}}{{contact.firstName}}{{fullName}}{{contact.fullName}}';
  expect(decided('sendMessage', { content }, { context: { state }, extra: seen })).toEqual(sent('Hi there'));
});

test('A template is filled like a text of the step itself', () => {
  const extra = { ...seen, template: 'Hi {{firstName}}, {{event.tag|guest}}' };
  expect(decided('sendMessage', { template: 'welcome' }, { extra })).toEqual(sent('Hi Ada, guest'));
});

test('A text leaves from the number that the step names, or that a placeholder stands for, and else from the default one', () => {
  const from = (text: string, event = {}) =>
    decided('sendMessage', { content: 'Hi', from: text }, { context: { event }, extra: seen });
  expect(from('+15550111')).toEqual(sent('Hi', { from: '+15550111' }));
  expect(from('{{event.to}}', { to: '+15550122' })).toEqual(sent('Hi', { from: '+15550122' }));
  expect(from('{{event.to}}')).toEqual(sent('Hi'));
});

test.each([
  ['opted_out', { context: { state: optedOut } }],
  ['no_number', { context: { state: stateWith({ phoneNumbers: [] }) } }],
  ['outside_hours', { context: { hours }, now: sunday }],
  ['outside_hours', { context: { hours }, now: sunday, settings: { window: 'any' } }],
  ['owner_disabled', { context: { owner: undefined } }],
  ['contact_gone', { context: { state: undefined } }],
])('A text that must not be sent is skipped: %s', (reason, given) => {
  const data = { content: 'Hi', window: 'business_hours' };
  expect(decided('sendMessage', data, { extra: seen, ...given })).toEqual(skipped(reason));
});

test('The settings of the workflow say when its texts may be sent, unless a step says otherwise', () => {
  const at = (now: Date, data: object = {}) =>
    decided(
      'sendMessage',
      { content: 'Hi', ...data },
      {
        context: { hours },
        settings: { window: 'business_hours' },
        extra: seen,
        now,
      },
    );
  expect(at(monday)).toEqual(sent('Hi'));
  expect(at(sunday)).toEqual(skipped('outside_hours'));
  expect(at(sunday, { window: 'any' })).toEqual(sent('Hi'));
});

test('A template that the owner may not use is skipped, and so is one that is gone', () => {
  expect(decided('sendMessage', { template: 'gone' }, { extra: seen })).toEqual(skipped('template_gone'));
});

test('A text is not sent for an owner who sees only the conversation, as the text may have data of the contact', () => {
  const extra = { template: undefined, seesContact: false };
  expect(decided('sendMessage', { content: 'Hi' }, { extra })).toEqual(failed('Contact not found'));
});

test('A text that is empty once it is filled fails, and says so', () => {
  const extra = seen;
  expect(decided('sendMessage', { content: ' {{event.text}} ' }, { extra })).toEqual(
    failed('The text is empty once its placeholders are filled'),
  );
});
